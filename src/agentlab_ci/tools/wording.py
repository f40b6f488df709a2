"""Pieces of messages about a project's own tools."""

LONGEST_TAIL = 1000


def said(stderr: str) -> str:
    """Return the end of a message, which quotes the end of what a process said on stderr if it said anything."""
    text = stderr.strip()
    if not text:
        return ""
    return f"; it said: {text}" if len(text) <= LONGEST_TAIL else f"; it said: …{text[-LONGEST_TAIL:]}"
