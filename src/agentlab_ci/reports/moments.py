"""Moments as numbers."""

from datetime import UTC, datetime


def seconds_of(moment: str | None) -> float | None:
    """Return the seconds since 1970 of an RFC 3339 moment; None for what is none, such as another tool's text."""
    try:
        start = datetime.fromisoformat(moment or "")
    except ValueError:
        return None
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()
