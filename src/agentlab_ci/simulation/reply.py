"""Reading the JSON that a model was asked for: one object that can be taken in one way only. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

LONGEST = 64 << 10
"""Characters of a reply that is read; a longer one is no judgement and nothing that a user says."""

_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
"""What some servers leave of a model's reasoning before its reply."""
_FENCE = re.compile(r"```(?:json)?[ \t\r]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class UnusableReplyError(Exception):
    """A model's reply is not what it was asked for; `why` says so as the end of a sentence about the reply."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def read_content(text: str) -> str:
    """Return the reply without reasoning before it, white space around it and one fence around all of it.

    Raises UnusableReplyError for one that is empty or too long.
    """
    if len(text) > LONGEST:
        raise UnusableReplyError(f"is longer than {LONGEST:,} characters")
    thoughts = _THOUGHTS.match(text)
    content = (text[thoughts.end() :] if thoughts else text).strip()
    fence = _FENCE.fullmatch(content)
    content = fence[1].strip() if fence else content
    if not content:
        raise UnusableReplyError("is empty")
    return content


def read_object(content: str) -> dict[str, Any]:
    """Return the one JSON object that the content is. Raises UnusableReplyError."""
    try:
        value = json.loads(content, object_pairs_hook=_collect, parse_constant=_refuse_constant)
    except RecursionError:
        raise UnusableReplyError("is nested too deeply") from None
    except ValueError:
        raise UnusableReplyError("is not one JSON object with nothing around it") from None
    if not isinstance(value, dict):
        raise UnusableReplyError("is JSON, but not an object")
    return value


def shows_nothing(text: str) -> bool:
    """Tell whether a reader sees nothing of a text: white space, and characters without a shape."""
    return not any(letter.isprintable() and not letter.isspace() for letter in text)


def to_unicode(text: str) -> str:
    """Return the text with U+FFFD for each half of a surrogate pair, which no file or database takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _collect(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    collected = dict(pairs)
    if len(collected) < len(pairs):
        raise UnusableReplyError("holds a key twice")
    return collected


def _refuse_constant(word: str) -> NoReturn:
    raise UnusableReplyError(f"holds {word}, which is no JSON")
