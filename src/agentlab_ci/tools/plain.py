"""Plain JSON data: what goes into a tool and comes out of one, and can be written into every report."""

import json
import math
from typing import Any, NoReturn

MAX_RESULT_BYTES = 1 << 20
"""How much a project's own tool may hand to an agent at once, as JSON."""
MAX_DEPTH = 64
"""Levels of nesting; whoever writes the data later has room left on the stack."""


class NotPlainError(Exception):
    """The data is not plain; the message continues a sentence: `holds NaN`."""


def read_plain(text: str) -> Any:
    """Return the data that a JSON text holds. Raises json.JSONDecodeError and NotPlainError."""
    try:
        return to_plain(json.loads(text, parse_constant=_refuse_constant))
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of more digits than Python reads
        raise NotPlainError("holds a number that is too large") from None
    except RecursionError:
        raise NotPlainError(f"is nested deeper than {MAX_DEPTH} levels") from None


def to_plain(value: object, *, levels: int = MAX_DEPTH) -> Any:
    """Return a copy that shares nothing which can be changed; half a surrogate pair becomes U+FFFD.

    Raises NotPlainError for what JSON cannot hold, numbers that are too large, and too many levels.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _whole_text(value)
    if isinstance(value, int | float):
        return _sane_number(value)
    if levels == 0:
        raise NotPlainError(f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list | tuple):
        return [to_plain(item, levels=levels - 1) for item in value]
    if isinstance(value, dict):
        return {_key(key): to_plain(item, levels=levels - 1) for key, item in value.items()}
    raise NotPlainError(f"holds data of the type `{type(value).__name__}`, which JSON cannot")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise NotPlainError(f"has the key {key!r}; in JSON all keys are text")
    return _whole_text(key)


def _whole_text(text: str) -> str:
    # UTF-16 joins two halves of a pair; what is left over has no form in UTF-8.
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sane_number(number: float) -> float:
    if isinstance(number, float) and not math.isfinite(number):
        raise NotPlainError(f"holds {number}, which JSON cannot")
    try:
        float(number)  # few readers of JSON take integers that are larger
    except OverflowError:
        raise NotPlainError("holds a number that is too large") from None
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise NotPlainError(f"holds {name}, which JSON cannot")
