"""The Action's inputs: how each one is read, and the settings that they make.

`INPUTS` is the one table. A test holds action.yml, composite/action.yml, the README and the flags of
`agentlab run` to it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agentlab_ci.agents.url import check_url
from agentlab_ci.core.formats import DEFAULT_FORMATS, FileFormat, JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.sampling import MAX_SAMPLES, PassRate
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.sticky import CommentMode
from agentlab_ci.settings import ReportSettings, RunSettings

_LONGEST_KEY = 200
_DIGITS = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionInputs:
    """What the workflow asked for.

    An input that cannot be read has its default here and is named in `problems`, so that a broken input can still
    be reported where the others say. `wait_seconds` are for `wait_for_url`. `from_livekit` is the path of an
    export, which takes the place of a run.
    """

    run: RunSettings
    working_directory: str
    from_livekit: str | None
    comment: CommentMode
    comment_key: str | None
    pr_number: int | None
    step_summary: bool
    annotations: bool
    wait_for_url: str | None
    wait_seconds: float
    localhost_gateway: bool
    allow_untrusted_code: bool
    github_token: str | None = field(repr=False)
    problems: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise BadInputError with all problems, if there are any."""
        if self.problems:
            raise BadInputError("\n".join(self.problems))


def read_inputs(environ: Mapping[str, str]) -> ActionInputs:
    """Read every input from the runner's variables; an empty one counts as not given."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, kind in INPUTS.items():
        try:
            values[name] = kind.value(_given(environ, name))
        except (ValueError, BadInputError) as problem:
            problems.append(f"input `{name}`: {problem}")
            values[name] = kind.value("")
    problems.extend(_find_idle(values))
    return ActionInputs(
        run=_run_settings(values, environ),
        working_directory=values["working-directory"],
        from_livekit=values["from-livekit"],
        comment=values["comment"],
        comment_key=values["comment-key"],
        pr_number=values["pr-number"],
        step_summary=values["step-summary"],
        annotations=values["annotations"],
        wait_for_url=values["wait-for-url"],
        wait_seconds=values["wait-seconds"],
        localhost_gateway=values["localhost-gateway"],
        allow_untrusted_code=values["allow-untrusted-code"],
        github_token=values["github-token"],
        problems=tuple(problems),
    )


def _find_idle(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a problem for each input that asks for something and would get nothing."""
    asked = [name for name, kind in INPUTS.items() if values[name] != kind.value("")]
    if "from-livekit" in asked:
        yield from (f"input `{name}` does nothing with `from-livekit`" for name in asked if name in OF_A_RUN)
    elif "wait-seconds" in asked and "wait-for-url" not in asked:
        yield "input `wait-seconds` does nothing without `wait-for-url`"


def _given(environ: Mapping[str, str], name: str) -> str:
    """Return an input's text. The runner keeps the hyphens of its name; shells and `env:` blocks cannot."""
    variable = f"INPUT_{name.upper()}"
    return (environ.get(variable) or environ.get(variable.replace("-", "_")) or "").strip()


def _run_settings(values: Mapping[str, Any], environ: Mapping[str, str]) -> RunSettings:
    temporary = environ.get("RUNNER_TEMP")
    return RunSettings(
        ids=values["ids"],
        suite=values["suite"],
        suite_def=values["suite-def"],
        tags=values["tag"],
        scenario_paths=values["scenarios"],
        config_file=values["config"],
        agent=values["agent"],
        variant_set=values["variant-set"],
        samples=values["samples"],
        stop_when_settled=values["stop-when-settled"],
        concurrency=values["concurrency"],
        timeout=values["timeout"],
        annotate=values["annotations"],
        # Beside the checkout, not in it: a later step may commit the workspace.
        database=f"{temporary}/agentlab.db" if temporary and "AGENTLAB_DB" not in environ else None,
        report=ReportSettings(
            report_dir=values["report-dir"],
            formats=values["format"],
            junit_style=values["junit-style"],
            require_finished=values["require-finished"],
            baseline=values["baseline"],
            fail_on=values["fail-on"],
            pass_rate=values["pass-rate"],
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """How an input is read. `default` is its text when none is given; with neither, its value is `absent`."""

    read: Callable[[str], Any]
    default: str = ""
    absent: Any = None

    def value(self, given: str) -> Any:
        """Return the value of a given text; raises ValueError or BadInputError."""
        text = given or self.default
        return self.read(text) if text else self.absent


def _flag(text: str) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if text.lower() not in known:
        raise ValueError(f"{text!r} is none of {', '.join(known)}")
    return known[text.lower()]


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    def read(text: str) -> int:
        if _DIGITS.fullmatch(text) is None or not low <= int(text) <= (high or int(text)):
            bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise ValueError(f"{text!r} is not a whole number {bounds}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _choice(choices: type[StrEnum]) -> Callable[[str], StrEnum]:
    def read(text: str) -> StrEnum:
        try:
            return choices(text)
        except ValueError:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}") from None

    return read


def _formats(text: str) -> tuple[FileFormat, ...]:
    read = _choice(FileFormat)
    return tuple(dict.fromkeys(FileFormat(read(part)) for part in _list(text)))


def _lines(text: str) -> tuple[str, ...]:
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not lines:
        raise ValueError("there is nothing in it but separators")
    return lines


def _key(text: str) -> str:
    if len(text) > _LONGEST_KEY or not text.isprintable():
        raise ValueError(f"it must be one line of at most {_LONGEST_KEY} printable characters")
    return text


def _token(text: str) -> str:
    if not re.fullmatch("[!-~]+", text):  # what is wrong with it is not shown
        raise ValueError("a token is one word of ASCII characters; this has a line end, a space or another in it")
    return text


def _list(text: str) -> tuple[str, ...]:
    return _lines(text.replace(",", "\n"))


INPUTS: dict[str, Input] = {
    "scenarios": Input(read=_lines, absent=()),  # a path may hold a comma
    "config": Input(read=str),
    "ids": Input(read=_list, absent=()),
    "suite": Input(read=str),
    "suite-def": Input(read=str),
    "tag": Input(read=_list, absent=()),
    "agent": Input(read=str),
    "variant-set": Input(read=str),
    "samples": Input(read=_whole(1, MAX_SAMPLES)),
    "pass-rate": Input(read=PassRate),
    "stop-when-settled": Input(read=_flag),
    "concurrency": Input(read=_whole(1)),
    "timeout": Input(read=_seconds),
    "require-finished": Input(read=_flag, default="false"),
    "baseline": Input(read=str),
    "fail-on": Input(read=_choice(FailOn), default=FailOn.BELOW_BAR.value),
    "report-dir": Input(read=str, default="agentlab-report"),
    "format": Input(read=_formats, default=",".join(DEFAULT_FORMATS)),
    "junit-style": Input(read=_choice(JUnitStyle), default=JUnitStyle.SAMPLES.value),
    "working-directory": Input(read=str, default="."),
    "from-livekit": Input(read=str),
    "comment": Input(read=_choice(CommentMode), default="auto"),
    "comment-key": Input(read=_key),
    "pr-number": Input(read=_whole(1)),
    "step-summary": Input(read=_flag, default="true"),
    "annotations": Input(read=_flag, default="true"),
    "wait-for-url": Input(read=check_url),
    "wait-seconds": Input(read=_seconds, default="60"),
    "localhost-gateway": Input(read=_flag, default="false"),
    "allow-untrusted-code": Input(read=_flag, default="false"),
    "github-token": Input(read=_token),
}
OF_A_RUN = frozenset(
    {
        *("scenarios", "config", "ids", "suite", "suite-def", "tag", "agent", "variant-set", "samples"),
        *("stop-when-settled", "concurrency", "timeout", "wait-for-url", "wait-seconds", "localhost-gateway"),
    }
)
"""Inputs that say what is run, and how: they do nothing for what LiveKit has run already."""
