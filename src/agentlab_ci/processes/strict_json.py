"""JSON that comes from processes, read as every other reader of it would. Pure."""

import json
import math
from typing import Any, NoReturn

_MOST_DIGITS = 309
"""No float has more before its point, and few readers of JSON take a larger integer."""
_SHOWN = 20
"""Characters of a number that are told."""


class NotStrictError(ValueError):
    """`number` is none that JSON knows, or larger than readers take; `fault` says which, as in `is no JSON`."""

    def __init__(self, number: str, fault: str) -> None:
        self.number = number if len(number) <= _SHOWN else f"{number[:_SHOWN]}…"
        self.fault = fault
        super().__init__(f"{self.number} {fault}")


def read_json(text: str | bytes) -> Any:
    """Return the data. Raises NotStrictError, another ValueError for what is no JSON, and RecursionError."""
    return json.loads(text, parse_constant=_refuse, parse_float=_read_float, parse_int=_read_int)


def _refuse(word: str) -> NoReturn:
    raise NotStrictError(word, "is no JSON")


def _read_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_size(text)


def _read_int(text: str) -> int:
    if len(text.removeprefix("-")) > _MOST_DIGITS:
        _refuse_size(text)
    number = int(text)
    try:
        float(number)
    except OverflowError:
        _refuse_size(text)
    return number


def _refuse_size(text: str) -> NoReturn:
    raise NotStrictError(text, "is too large a number")
