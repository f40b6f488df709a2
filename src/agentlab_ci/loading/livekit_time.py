"""Times as LiveKit writes them: RFC 3339, or a number since 1970, in text or not."""

from datetime import UTC, datetime

_UNITS = (1e11, 1e14, 1e17)
"""Seconds are below the first, milliseconds below the second, microseconds below the third."""


def read_moment(value: object) -> datetime | None:
    """Return the moment in UTC; None for what is no time."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = None
    try:
        if number is not None:
            return datetime.fromtimestamp(number / 1000 ** sum(number >= unit for unit in _UNITS), UTC)
        moment = datetime.fromisoformat(str(value))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def write_moment(moment: datetime | None) -> str | None:
    """Write a moment as results.json does."""
    return None if moment is None else moment.isoformat(timespec="milliseconds")


def milliseconds(start: datetime | None, end: datetime | None) -> float:
    """Return how long it took; 0 where that is unknown, or time ran backwards."""
    return 0 if start is None or end is None else max(0, (end - start).total_seconds() * 1000)
