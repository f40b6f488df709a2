"""Ids of batches and runs: the time to the second, so that they sort, and six characters that tell them apart."""

import secrets
import string
from datetime import UTC, datetime
from itertools import count

_DIGITS = string.digits + string.ascii_lowercase
_LENGTH = 6
_SUFFIXES = len(_DIGITS) ** _LENGTH
_STRIDE = 1_366_051_289
"""Shares no factor with the number of suffixes, so none comes twice before all have come."""

_numbers = count(secrets.randbits(64))


def new_batch_id(now: datetime) -> str:
    """Return an id such as `batch_20260407_001230_9x2c3d`, unique within the process; the time is in UTC."""
    return f"batch_{_stamp(now)}_{_next_suffix()}"


def new_run_id(now: datetime) -> str:
    """Return an id such as `run_20260407_001234_k3f9ab`, unique within the process; the time is in UTC.

    Six characters, because 400 runs a second in several processes would often meet in four.
    """
    return f"run_{_stamp(now)}_{_next_suffix()}"


def _stamp(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y%m%d_%H%M%S")


def _next_suffix() -> str:
    number = next(_numbers) * _STRIDE % _SUFFIXES
    digits = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)
