"""Text of which the end says most, such as a traceback, cut at its beginning. Pure."""

KEPT_BYTES = 2 << 10
"""What the results keep of what a failed process said, in bytes of UTF-8; a longer text would lose its end."""
BEGINNING_LEFT_OUT = "… [what came before was left out]\n"
_SHORTEST = 256
"""Bytes below which a whole line is not worth the rest of the text."""


def keep_end(text: str, most: int = KEPT_BYTES) -> str:
    """Return the end of a text, `most` bytes with the mark that says so, from the start of a line where it can be.

    Secrets are to be masked before: the cut may leave half of one.
    """
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most:
        return text
    kept = encoded[-max(1, most - len(BEGINNING_LEFT_OUT.encode())) :]
    line = kept.find(b"\n") + 1
    if 0 < line <= len(kept) - _SHORTEST:
        kept = kept[line:]
    return BEGINNING_LEFT_OUT + kept.decode("utf-8", "ignore")


def keep_last_lines(text: str, most: int = KEPT_BYTES) -> str:
    """Return the last whole lines of a text, as many as `most` bytes hold; a longer last line stays whole.

    For text whose secrets are masked later: none that stands in a line is cut in half.
    """
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most:
        return text
    earliest = len(encoded) - (most - len(BEGINNING_LEFT_OUT.encode()))
    start = encoded.find(b"\n", earliest - 1, -1) + 1 or encoded.rfind(b"\n", 0, -1) + 1
    return BEGINNING_LEFT_OUT + encoded[start:].decode() if start else text


def join_ends(first: str, second: str, most: int = KEPT_BYTES) -> str:
    """Return both, one below the other, in `most` bytes: each may have half, and what the other leaves."""
    if not first or not second:
        return keep_end(first or second, most)
    room = most - 1
    first_bytes = len(first.encode("utf-8", "replace"))
    shown = keep_end(second, room - min(first_bytes, room // 2))
    return f"{keep_end(first, room - len(shown.encode('utf-8', 'replace')))}\n{shown}"
