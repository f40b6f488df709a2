"""Keys that stand twice in an object of a JSON document: readers differ in which of the two they take."""

import json
from collections.abc import Callable
from typing import Any

Pairs = list[tuple[str, Any]]
_Hook = Callable[[Pairs], Any]


class _TwiceError(Exception):
    """An object has a key twice."""


def find_double_key(text: str) -> str | None:
    """Return the place of a key that stands twice in one object, None where there is none.

    Text that is no JSON, or too deep for Python's reader, has none: whoever reads it says so.
    """
    try:
        try:
            _scan(text, _refuse_doubles)
        except _TwiceError:
            found = _find(_scan(text, _locate_doubles))
            return None if found is None else found.place
    except (ValueError, RecursionError):
        pass
    return None


class _Found:
    """What stands in place of an object that holds a double key somewhere; `place` is where, from there."""

    def __init__(self, place: str) -> None:
        self.place = place


def _scan(text: str, hook: _Hook) -> Any:
    # Numbers stay text: huge ones take long to convert, or cannot be.
    return json.loads(text, object_pairs_hook=hook, parse_int=str, parse_float=str)


def _refuse_doubles(pairs: Pairs) -> None:
    """Keep nothing, so that a large document takes little memory."""
    if len(pairs) > 1 and len(dict(pairs)) < len(pairs):
        raise _TwiceError


def _locate_doubles(pairs: Pairs) -> _Found | None:
    seen = set()
    for key, value in pairs:
        found = _find(value)
        if found is not None:
            return _Found(f"{key}{'' if found.place.startswith('[') else '.'}{found.place}")
        if key in seen:
            return _Found(key)
        seen.add(key)
    return None


def _find(value: Any) -> _Found | None:
    if isinstance(value, list):
        places = ((index, found.place) for index, item in enumerate(value) if (found := _find(item)) is not None)
        index, place = next(places, (0, None))
        return None if place is None else _Found(f"[{index}]{'' if place.startswith('[') else '.'}{place}")
    return value if isinstance(value, _Found) else None
