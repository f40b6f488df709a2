"""JSON of others as plain data that can be written as JSON again."""

import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """Return the data with text in place of numbers that JSON has not, such as NaN; raises nothing.

    It is as deep as a JSON reader lets it be.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value
