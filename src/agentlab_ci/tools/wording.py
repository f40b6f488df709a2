"""Pieces of messages about a project's own tools."""

from collections.abc import Callable

LONGEST_TAIL = 1000


def said(stderr: str, mask: Callable[[str], str]) -> str:
    """Return the end of a message, which quotes the end of what a process said on stderr if it said anything."""
    text = mask(stderr).strip()  # before the cut: half a secret is not found
    if not text:
        return ""
    return f"; it said: {text}" if len(text) <= LONGEST_TAIL else f"; it said: …{text[-LONGEST_TAIL:]}"
