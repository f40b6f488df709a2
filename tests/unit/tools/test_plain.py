import json
import math
import sys
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.tools.plain import MAX_DEPTH, NotPlainError, read_plain, to_plain

SCALARS = (
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(codec=None))  # lone surrogates among them
JSON = st.recursive(SCALARS | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)

LARGEST = int(sys.float_info.max)


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@settings(derandomize=True, deadline=None)
@given(JSON)
def test_whatever_is_json_becomes_data_that_every_file_takes(value: object) -> None:
    plain = to_plain(value)
    written = json.dumps(plain, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(written) == plain
    assert to_plain(plain) == plain
    if "\\ud" not in json.dumps(value):
        assert plain == value


def test_a_copy_shares_nothing() -> None:
    value = {"a": [{"b": 1}]}
    plain = to_plain(value)
    plain["a"][0]["b"] = 2
    assert value == {"a": [{"b": 1}]}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("a\ud800", "a\ufffd"),
        ("\udc00", "\ufffd"),
        # Two halves that belong together, as JSON's escapes may write them.
        ("\ud83d\ude00", "😀"),
        ("\ufeff\ud800", "\ufeff\ufffd"),
        ({"\ud800": (1, 2)}, {"\ufffd": [1, 2]}),
        (True, True),
        (OrderedDict(a=1), {"a": 1}),
        (1 << 1000, 1 << 1000),
        (LARGEST, LARGEST),
        (-LARGEST, -LARGEST),
        (nested(MAX_DEPTH), nested(MAX_DEPTH)),
    ],
)
def test_what_is_almost_plain_is_made_so(value: object, plain: object) -> None:
    assert to_plain(value) == plain


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (math.nan, "holds nan, which JSON cannot"),
        ([-math.inf], "holds -inf, which JSON cannot"),
        (10**400, "holds a number that is too large"),
        # Of as many bits as the largest float, which is smaller.
        ((1 << 1024) - 1, "holds a number that is too large"),
        (-(1 << 1024) + 1, "holds a number that is too large"),
        ({1: 2}, "has the key 1; in JSON all keys are text"),
        ({"a": {1}}, "holds data of the type `set`, which JSON cannot"),
        (b"bytes", "holds data of the type `bytes`, which JSON cannot"),
        (nested(MAX_DEPTH + 1), "is nested deeper than 64 levels"),
    ],
)
def test_what_json_cannot_hold_is_refused(value: object, problem: str) -> None:
    with pytest.raises(NotPlainError, match=f"^{problem}$"):
        to_plain(value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("NaN", "holds NaN, which JSON cannot"),
        ('{"a": -Infinity}', "holds -Infinity, which JSON cannot"),
        ("1e999", "holds inf, which JSON cannot"),
        ("9" * 5000, "holds a number that is too large"),
        ("9" * 400, "holds a number that is too large"),
        ("[" * 100 + "]" * 100, "is nested deeper than 64 levels"),
        ("[" * 200_000 + "]" * 200_000, "is nested deeper than 64 levels"),
    ],
)
def test_json_that_not_every_reader_takes_is_refused(text: str, problem: str) -> None:
    with pytest.raises(NotPlainError, match=f"^{problem}$"):
        read_plain(text)


def test_what_is_no_json_is_told_apart() -> None:
    with pytest.raises(json.JSONDecodeError):
        read_plain('{"a": 1')
    assert read_plain(' {"a": [1, "\\ud800"]}\n') == {"a": [1, "\ufffd"]}
