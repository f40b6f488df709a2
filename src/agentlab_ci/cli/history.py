"""What the commands over stored results share: their options, and where the database is."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentlab_ci.cli.options import TextType

if TYPE_CHECKING:
    from agentlab_ci.app import World
    from agentlab_ci.store.listing import Filter

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE = re.compile(r"(\d{1,4})([mhdw])", re.ASCII)


class AgeType(click.ParamType[timedelta]):
    """A time span such as `30d`: minutes, hours, days or weeks."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Read the number and its unit."""
        if isinstance(value, timedelta):
            return value
        age = _AGE.fullmatch(value)
        if age is None:
            self.fail(f"{value!r} is no age such as 30d: a number, and m, h, d or w", param, ctx)
        return timedelta(**{_UNITS[age[2]]: int(age[1])})


class SinceType(click.ParamType[datetime | timedelta]):
    """A day or a moment, or how long ago that was."""

    name = "since"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime | timedelta:
        """Read an age, else a date with or without a time; without a zone it is UTC."""
        if isinstance(value, datetime | timedelta):
            return value
        if _AGE.fullmatch(value):
            return AgeType().convert(value, param, ctx)
        try:
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no day such as 2026-04-07, and no age such as 7d", param, ctx)


def database_options(command: CommandT) -> CommandT:
    """Add the options that say which database is meant."""
    database = click.option(
        "--db",
        "database",
        type=TextType(),
        metavar="FILE",
        envvar="AGENTLAB_DB",
        help="History; default artifacts/agentlab.db.",
    )
    config = click.option(
        "--config",
        "config_file",
        type=TextType(),
        metavar="FILE",
        help="Default agentlab.config.yaml, if it is there.",
    )
    return database(config(command))


def filter_options(command: CommandT) -> CommandT:
    """Add the options that say which runs or batches are listed."""
    for option in reversed(_FILTER_OPTIONS):
        command = option(command)
    return command


def find_history(world: "World", database: str | None, config_file: str | None) -> Path:
    """Return where the database is."""
    from agentlab_ci.store.location import find_database  # noqa: PLC0415 - `--help` needs none of it

    return find_database(database, environ=world.environ, cwd=world.cwd, config_file=config_file)


def make_filter(world: "World", *, since: datetime | timedelta | None, **names: Any) -> "Filter":
    """Return what the options ask for; an age counts from now."""
    from agentlab_ci.store.listing import Filter  # noqa: PLC0415 - as above

    moment = world.now() - since if isinstance(since, timedelta) else since
    return Filter(since=moment, **names)


_FILTER_OPTIONS: tuple[Callable[[CommandT], CommandT], ...] = (
    click.option("--scenario", type=TextType(), metavar="ID|GLOB", help="Only of this scenario."),
    click.option("--suite", type=TextType(), metavar="S", help="Only of this suite."),
    click.option("--agent", type=TextType(), metavar="A", help="Only of this agent of the config."),
    click.option("--variant", type=TextType(), metavar="V", help="Only of the variant with this label."),
    click.option(
        "--since",
        type=SinceType(),
        metavar="WHEN",
        help="Only what began since: a day (UTC) such as 2026-04-07, or an age such as 7d or 12h.",
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), metavar="N", default=20, show_default=True, help="At most so many."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print a JSON object on each line."),
)
