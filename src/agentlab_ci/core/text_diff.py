"""The lines in which two texts differ, bounded, however long the texts are."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

MOST_LINES = 40
"""Of one difference that are kept; the rest is counted."""
LONGEST_LINE = 300
"""Characters of a line that are kept, around the place where it differs."""
_CONTEXT = 1
"""Equal lines that are kept beside those that differ."""
_LEAD = 60
"""Characters that are kept before the place where a long line differs."""
_MOST_MATCHED = 100
"""Lines of each side that are matched with each other: the time for it grows with the cube."""


def diff_lines(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """Return lines that begin with `-` (only old), `+` (only new) or a blank (both); none if all are equal.

    What differs always shows, in a long line as well. A line `@ N more lines` ends a difference that was cut.
    """
    if old == new:
        return ()
    start = _count_equal(old, new)
    end = _count_equal(old[start:][::-1], new[start:][::-1])
    changed = [*_show_changed(old[start : len(old) - end], new[start : len(new) - end])]
    lines = [
        *(f" {_cut(line)}" for line in old[max(0, start - _CONTEXT) : start]),
        *changed,
        *(f" {_cut(line)}" for line in old[len(old) - end :][:_CONTEXT]),
    ]
    more = len(lines) - MOST_LINES
    return tuple(lines if more <= 0 else [*lines[:MOST_LINES], f"@ {more} more lines"])


def _show_changed(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if max(len(old), len(new)) > _MOST_MATCHED:
        yield from _show_replaced(old, new)
        return
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (f" {_cut(line)}" for line in old[old_from:old_to])
        else:
            yield from _show_replaced(old[old_from:old_to], new[new_from:new_to])


def _show_replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    pairs = [_focus(before, after) for before, after in zip_longest(old, new)]
    yield from (f"-{before}" for before, _ in pairs if before is not None)
    yield from (f"+{after}" for _, after in pairs if after is not None)


def _focus(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Cut a line and the one in its place so that the first character that differs is kept."""
    if old is None or new is None or max(len(old), len(new)) <= LONGEST_LINE:
        return (None if old is None else _cut(old), None if new is None else _cut(new))
    start = _count_equal(old, new) - _LEAD
    return (_cut(old, start), _cut(new, start)) if start > 0 else (_cut(old), _cut(new))


def _cut(line: str, start: int = 0) -> str:
    head = "…" if start > 0 else ""
    kept = line[max(0, start) :]
    return head + (kept if len(kept) <= LONGEST_LINE else f"{kept[:LONGEST_LINE]}…")


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        if before != after:
            return index
    return min(len(old), len(new))
