"""Pieces of messages about tools: the nearest valid name, and what a process said."""

import difflib
from collections.abc import Callable, Collection

LONGEST_TAIL = 1000
_LONGEST_NAME = 100
"""What is longer was not mistyped, and to look for the nearest name would take as long as it is."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of a message about an unknown name, which may be of any length: what would be right."""
    nearest = difflib.get_close_matches(name, known, n=1) if len(name) <= _LONGEST_NAME else []
    if nearest:
        return f"; did you mean `{nearest[0]}`?"
    return f"; there is {', '.join(f'`{right}`' for right in known)}" if known else "; there is none"


def said(stderr: str, mask: Callable[[str], str]) -> str:
    """Return the end of a message, which quotes the end of what a process said on stderr if it said anything."""
    text = mask(stderr).strip()  # before the cut: half a secret is not found
    if not text:
        return ""
    return f"; it said: {text}" if len(text) <= LONGEST_TAIL else f"; it said: …{text[-LONGEST_TAIL:]}"
