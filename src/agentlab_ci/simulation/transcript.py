"""What was said, as data to show to a model: bounded, and unable to end the block that it stands in. Pure."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentlab_ci.core.trace import Role, Turn
from agentlab_ci.simulation.reply import to_unicode

LONGEST = 200_000
"""Characters of all turns together that a model is shown: some 50,000 tokens."""

_NOT_PLAIN = re.compile("[<>&]|[^ -~]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """A turn as it is shown; `left_out` characters are missing in the middle of `text`, where a mark says so."""

    role: Role
    text: str
    left_out: int = 0


def show_turns(turns: Sequence[Turn], *, longest: int = LONGEST) -> list[ShownTurn]:
    """Return the turns with at most `longest` characters in all, marks apart: the longest lose their middle."""
    texts = [to_unicode(turn.text) for turn in turns]
    limit = _find_limit((len(text) for text in texts), longest)
    return [_cut(turn.role, text, limit) for turn, text in zip(turns, texts, strict=True)]


def count_left_out(turns: Sequence[Turn]) -> int:
    """Return how many characters of the turns no model is shown, 0 for most."""
    return sum(turn.left_out for turn in show_turns(turns))


def write_transcript(turns: Sequence[Turn]) -> str:
    """Return the turns as a JSON list, one line each, with escapes for `<`, `>` and all that readers do not see.

    So no text can hold a tag, whatever its name, or begin a line.
    """
    lines = ",\n".join(_NOT_PLAIN.sub(_escape, _write_turn(turn)) for turn in show_turns(turns))
    return f"[\n{lines}\n]" if lines else "[]"


def _write_turn(turn: ShownTurn) -> str:
    entry: dict[str, object] = {"speaker": turn.role.value, "text": turn.text}
    if turn.left_out:
        entry["left_out"] = turn.left_out
    return json.dumps(entry, ensure_ascii=False)


def _escape(match: re.Match[str]) -> str:
    """Return the escape of what could be part of a tag, and of what a reader does not see or sees out of order."""
    char = match[0]
    if char in "<>&":
        return f"\\u{ord(char):04x}"
    return char if char.isprintable() else json.dumps(char)[1:-1]


def _find_limit(lengths: Iterable[int], longest: int) -> int:
    """Return the length that texts are cut to, so that short ones stay whole and the rest share the room."""
    room, sizes = longest, sorted(lengths)
    for number, size in enumerate(sizes):
        share = room // (len(sizes) - number)
        if size > share:
            return share
        room -= size
    return longest


def _cut(role: Role, text: str, limit: int) -> ShownTurn:
    if len(text) <= limit:
        return ShownTurn(role=role, text=text)
    tail = limit // 2
    left_out = len(text) - limit
    mark = f" [… {left_out:,} characters left out …] "
    return ShownTurn(role=role, text=text[: limit - tail] + mark + text[len(text) - tail :], left_out=left_out)
