"""Small pieces of messages: user text made safe to show, lists of names, and the nearest valid name."""

import difflib
from collections.abc import Iterable

LONGEST_SHOWN = 80
MOST_LISTED = 12


def printable(text: str) -> str:
    """Return the text with everything that is not printable written as an escape, line ends included."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object) -> str:
    """Return a user's value between backticks, on one line and cut to 80 characters."""
    text = printable(str(value))
    if len(text) > LONGEST_SHOWN:
        text = text[: LONGEST_SHOWN - 1] + "…"
    return f"`{text}`"


def listed(names: Iterable[str]) -> str:
    """Return the names as they are read out: in order, each once, at most twelve of them."""
    unique = list(dict.fromkeys(names))
    text = ", ".join(quoted(name) for name in unique[:MOST_LISTED])
    return f"{text} and {len(unique) - MOST_LISTED} more" if len(unique) > MOST_LISTED else text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest known one, else all of them."""
    names = list(dict.fromkeys(known))
    nearest = difflib.get_close_matches(word, names, n=1)
    if nearest:
        return f"; did you mean {quoted(nearest[0])}?"
    return f"; there is {listed(names)}" if names else "; there is none"
