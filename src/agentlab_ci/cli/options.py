"""Options that more than one command takes, and the types of their values."""

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import click

from agentlab_ci.core.formats import DEFAULT_FORMATS, FileFormat, JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.sampling import PassRate

CommandT = TypeVar("CommandT", bound=Callable[..., Any])
ValueT = TypeVar("ValueT", bound=StrEnum)


class ValueChoice(click.Choice[ValueT]):
    """One of an enum's values; `click.Choice` would offer the names of its members."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Compare by value."""
        return str(choice)


class PassRateType(click.ParamType[PassRate]):
    """A plain decimal above 0 and at most 1."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PassRate:
        """Keep the text as typed."""
        try:
            return value if isinstance(value, PassRate) else PassRate(value)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class TextType(click.ParamType[str]):
    """Text that is not empty: an empty one is a variable that was not set, and must not mean everything."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse white space alone."""
        if not str(value).strip():
            self.fail("it is empty", param, ctx)
        return str(value)


class SecondsType(click.FloatRange):
    """A number of seconds above 0."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is no number of seconds, such as nan."""
        seconds = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"{value} is not a number of seconds", param, ctx)
        return seconds


class FormatsType(click.ParamType[tuple[FileFormat, ...]]):
    """Report formats with commas between them."""

    name = "formats"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[FileFormat, ...]:
        """Take each format once, in the order given."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(dict.fromkeys(FileFormat(part.strip()) for part in value.split(",")))
        except ValueError:
            self.fail(f"{value!r} is not a list of {', '.join(FileFormat)}", param, ctx)


def report_options(command: CommandT) -> CommandT:
    """Add the options that say what is written and what sets the exit code."""
    for option in reversed(_REPORT_OPTIONS):
        command = option(command)
    return command


_REPORT_OPTIONS: tuple[Callable[[CommandT], CommandT], ...] = (
    click.option(
        "--pass-rate",
        type=PassRateType(),
        metavar="R",
        help="Share of samples that must pass, above 0 and at most 1.",
    ),
    click.option("--require-finished", is_flag=True, help="Exit 3 when a scenario is unfinished."),
    click.option(
        "--baseline",
        type=TextType(),
        metavar="FILE",
        help="Say what is new, fixed, still failing, regressed or unchanged since this file was approved.",
    ),
    click.option(
        "--fail-on",
        type=ValueChoice(FailOn),
        default=FailOn.BELOW_BAR.value,
        show_default=True,
        help="`regression`: exit 1 only for scenarios that regressed since --baseline. `never`: 1 becomes 0.",
    ),
    click.option(
        "--report-dir",
        type=TextType(),
        metavar="DIR",
        default="agentlab-report",
        show_default=True,
        help="Where the reports are written.",
    ),
    click.option(
        "--format",
        "formats",
        type=FormatsType(),
        metavar="LIST",
        default=",".join(DEFAULT_FORMATS),
        show_default=True,
        help="Which reports are written; `html` is a page to look at, in one file.",
    ),
    click.option(
        "--junit-style",
        type=ValueChoice(JUnitStyle),
        default=JUnitStyle.SAMPLES.value,
        show_default=True,
        help="What a JUnit testcase is.",
    ),
)
