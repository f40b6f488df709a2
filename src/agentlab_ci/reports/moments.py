"""Moments as numbers, and spans of time where tenths of a second tell too little apart."""

from datetime import UTC, datetime

from agentlab_ci.reports.formatting import format_duration


def seconds_of(moment: str | None) -> float | None:
    """Return the seconds since 1970 of an RFC 3339 moment; None for what is none, such as another tool's text."""
    try:
        start = datetime.fromisoformat(moment or "")
    except ValueError:
        return None
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()


def format_span(milliseconds: float) -> str:
    """Write a duration as `format_duration` does, but to the millisecond below a second."""
    return f"{milliseconds:.0f}ms" if milliseconds < 1000 else format_duration(milliseconds)
