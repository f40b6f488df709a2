import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.tools import bounded_validator
from agentlab_ci.tools.bounded_validator import SECONDS
from agentlab_ci.tools.input_schema import InputSchema, closed
from agentlab_ci.tools.interface import ToolBrokenError, ToolFailedError
from agentlab_ci.tools.registry import BUILTIN_TOOLS

ENDLESS = "^(a|a)*$"
"""Python's own `re` needs 2^n steps for n letters and an end that does not match."""
LONG = "a" * 60 + "!"


def fault(schema: dict[str, Any], value: dict[str, Any]) -> str | None:
    try:
        InputSchema(schema).check(value)
    except ToolFailedError as problem:
        return str(problem)
    return None


def builtin_fault(name: str, value: dict[str, Any]) -> str | None:
    return fault(dict(BUILTIN_TOOLS[name].spec.input_schema), value)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (
            "orders.refund",
            {"orderid": "ord_1"},
            "invalid input: 'order_id' is a required property; `orderid` is unknown; did you mean `order_id`?",
        ),
        ("orders.list", {"customer_id": "c", "x": 1}, "invalid input: `x` is unknown; there is `customer_id`"),
        ("repo.list_files", {"path": "x"}, "invalid input: `path` is unknown; there is none"),
        ("orders.list", {"customer_id": 5}, "invalid input: `customer_id`: 5 is not of type 'string'"),
        ("orders.list", {"customer_id": None}, "invalid input: `customer_id`: None is not of type 'string'"),
        # Text that says false is not false.
        (
            "accounts.update_newsletter",
            {"customer_id": "c", "subscribed": "false"},
            "invalid input: `subscribed`: 'false' is not of type 'boolean'",
        ),
        ("orders.list", {"customer_id": "c"}, None),
        ("alerts.list_active", {}, None),
    ],
)
def test_the_agent_is_told_what_is_wrong_and_what_would_be_right(
    name: str, value: dict[str, Any], problem: str | None
) -> None:
    assert builtin_fault(name, value) == problem


def test_only_the_first_few_faults_are_told() -> None:
    problem = builtin_fault("orders.list", {"customer_id": "c"} | {f"key{n}": n for n in range(1000)})
    assert problem is not None
    assert problem.count("is unknown") == 5


OPEN = {"type": "object", "properties": {"q": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "takes_others"),
    [
        (OPEN, False),
        ({**OPEN, "additionalProperties": True}, True),
        ({**OPEN, "additionalProperties": {"type": "integer"}}, True),
        ({**OPEN, "patternProperties": {"^other": {}}}, True),
        ({**OPEN, "allOf": [{"properties": {"other": {}}}]}, True),
        # The default: nothing is said of any property.
        ({"type": "object"}, True),
    ],
)
def test_a_schema_that_names_properties_takes_no_others(schema: dict[str, Any], takes_others: bool) -> None:
    assert (fault(dict(closed(schema)), {"other": 1}) is None) is takes_others


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"properties": {"q": {"pattern": "^a+$"}}}, {"q": "aaa"}, True),
        ({"properties": {"q": {"pattern": "^a+$"}}}, {"q": "ab"}, False),
        ({"properties": {"q": {"pattern": "^a+$"}}}, {"q": 5}, True),
        ({"patternProperties": {"^n_": {"type": "integer"}}}, {"n_a": 1, "b": "x"}, True),
        ({"patternProperties": {"^n_": {"type": "integer"}}}, {"n_a": "x"}, False),
        ({"patternProperties": {"^n_": {}}, "additionalProperties": False}, {"n_a": 1}, True),
        ({"patternProperties": {"^n_": {}}, "additionalProperties": False}, {"b": 1}, False),
        ({"additionalProperties": {"type": "integer"}}, {"b": 1}, True),
        ({"additionalProperties": {"type": "integer"}}, {"b": "x"}, False),
        ({"$defs": {"t": {"type": "string"}}, "properties": {"q": {"$ref": "#/$defs/t"}}}, {"q": 1}, False),
        ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}, False),
        # Older dialects have words of their own.
        ({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}, {"a": 1}, False),
        ({"dependencies": {"a": ["b"]}}, {"a": 1}, True),
    ],
)
def test_keywords_mean_what_they_mean(schema: dict[str, Any], value: dict[str, Any], fits: bool) -> None:
    assert (fault(schema, value) is None) is fits


DIALECT = "https://json-schema.org/draft/2020-12/schema"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SLOW = {"$schema": DIALECT, "properties": {"q": {"pattern": ENDLESS}}}


def doubling(depth: int) -> dict[str, Any]:
    """A small schema of 2^depth checks."""
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{depth}": {"type": "object"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"q": {"pattern": ENDLESS}}}, {"q": LONG}),
        ({"patternProperties": {ENDLESS: {}}}, {LONG: 1}),
        ({"patternProperties": {ENDLESS: {}}, "additionalProperties": False}, {LONG: 1}),
        ({"propertyNames": {"pattern": ENDLESS}}, {LONG: 1}),
        ({"properties": {"q": {"$schema": DIALECT, "pattern": ENDLESS}}}, {"q": LONG}),
        ({"$schema": DIALECT, "allOf": [{"$ref": "#/$defs/t"}], "$defs": {"t": SLOW}}, {"q": LONG}),
        (doubling(40), {}),
        # Keywords that the library holds against an empty schema without a look at the clock, or by brute force.
        ({"properties": {"a": {"items": {}}}}, {"a": [0] * 400_000}),
        ({"properties": {"a": {"items": True}}}, {"a": [0] * 2_000_000}),
        ({"properties": {"a": {"contains": {}, "minContains": 3_000_000}}}, {"a": [0] * 2_000_000}),
        ({"propertyNames": {}}, {f"k{n}": n for n in range(200_000)}),
        ({"additionalProperties": {}}, {f"k{n}": n for n in range(200_000)}),
        ({"$schema": DRAFT_7, "properties": {"a": {"items": [{}], "additionalItems": {}}}}, {"a": [0] * 400_000}),
        ({"properties": {"a": {"uniqueItems": True}}}, {"a": [{"i": n} for n in range(400_000)]}),
        ({"properties": {"a": {"uniqueItems": True}}}, {"a": [[n * ((1 << 61) - 1)] for n in range(400_000)]}),
    ],
)
def test_no_schema_holds_the_run(schema: dict[str, Any], value: dict[str, Any]) -> None:
    started = time.thread_time()
    assert fault(schema, value) == "invalid input: it took too long to check it against the input schema"
    assert time.thread_time() - started < 20 * SECONDS


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        (
            {"properties": {"a": {"unevaluatedItems": False}}},
            {"a": list(range(20_000))},
            "20000 are too many to hold against `unevaluatedItems`; it takes 1000",
        ),
        (
            {"not": {"unevaluatedProperties": False}},
            {f"k{n}": n for n in range(15_000)},
            "15000 are too many to hold against `unevaluatedProperties`; it takes 1000",
        ),
        # The library would compare each item with all before it.
        (
            {"properties": {"a": {"uniqueItems": True}}},
            {"a": [*({"i": n} for n in range(6_000)), {"i": 7.0}]},
            "`a`: item 6000 is equal to one before it",
        ),
        # So long a name is no typing error, and the search for the nearest one takes as long as it is.
        (
            {"properties": {"query": {}}, "additionalProperties": False},
            {f"{n}" * 3_000_000: n for n in range(1, 6)},
            "there is `query`",
        ),
    ],
)
def test_what_would_take_long_is_told_at_once(schema: dict[str, Any], value: dict[str, Any], problem: str) -> None:
    started = time.thread_time()
    assert problem in (fault(schema, value) or "")[-2000:]
    assert time.thread_time() - started < 2 * SECONDS


@pytest.mark.parametrize(
    ("items", "fits"),
    [
        ([1, True, "1", [1], {"1": 1}, None, 0, False, "", [], {}], True),
        ([[1, True], [True, 1], [1, [True]]], True),
        ([1, 1.0], False),
        ([0, -0.0], False),
        ([1 << 60, float(1 << 60)], False),
        ([(1 << 60) + 1, float(1 << 60)], True),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        ([{"a": 1}, {"a": True}], True),
        ([{}, []], True),
        ([[], []], False),
        ([None, None], False),
    ],
)
def test_items_are_unique_as_json_has_it(items: list[object], fits: bool) -> None:
    assert (fault({"properties": {"a": {"uniqueItems": True}}}, {"a": items}) is None) is fits
    assert fault({"properties": {"a": {"uniqueItems": False}}}, {"a": items}) is None


def test_what_is_no_list_has_no_items_to_be_unique() -> None:
    assert fault({"properties": {"a": {"uniqueItems": True}}}, {"a": "aa"}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"if": {"$ref": "#"}},
        {"not": {"$ref": "#"}},
        {"anyOf": [{"$ref": "#"}]},
        {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
        # It follows references by itself.
        {"unevaluatedProperties": False, "$ref": "#"},
        {"unevaluatedProperties": False, "$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/x"}}},
    ],
)
def test_a_reference_without_end_is_told_the_agent(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_validator, "SECONDS", 3600.0)  # on a slow machine too, the depth ends it
    assert fault(schema, {"q": 1}) == "invalid input: checking it against the input schema has no end"


def under(frames: int, schema: dict[str, Any]) -> str | None:
    return fault(schema, {}) if frames == 0 else under(frames - 1, schema)


@pytest.mark.parametrize("frames", range(8))
def test_a_circle_ends_wherever_the_stack_would_have_been_full(frames: int) -> None:
    # At one in seven depths Python's limit is met in jsonschema's Rust part, which panics: no Exception.
    assert "has no end" in (under(frames, {"if": {"$ref": "#"}}) or "")


def test_a_recursive_schema_ends_with_what_it_is_held_against() -> None:
    schema = {"properties": {"inner": {"$ref": "#"}}, "additionalProperties": False}
    value: dict[str, Any] = {}
    for _ in range(63):
        value = {"inner": value}
    assert fault(schema, value) is None
    assert fault(schema, {"inner": {"inner": {"outer": 1}}}) == (
        "invalid input: `inner.inner`: `outer` is unknown; there is `inner`"
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # jsonschema would fetch it, with one
def test_nothing_is_fetched_for_a_schema(tmp_path: Path) -> None:
    elsewhere = tmp_path / "schema.json"
    elsewhere.write_text("{}", encoding="utf-8")
    schema = {"properties": {"q": {"$ref": elsewhere.as_uri()}}}
    with pytest.raises(ToolBrokenError) as raised:
        InputSchema(schema).check({"q": 1})
    assert str(raised.value) == f"`input_schema` refers to {elsewhere.as_uri()}, which it does not hold"


@pytest.mark.parametrize("part", [{"$id": "http://[", "$ref": "y"}, {"pattern": "(?P=nothing)"}])
def test_an_address_or_a_pattern_that_is_none_is_no_fault_of_the_agent(part: dict[str, str]) -> None:
    with pytest.raises(ToolBrokenError, match="an address or a pattern that is none"):
        InputSchema({"properties": {"q": part}}).check({"q": "x"})


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ({"properties": {"q": {"$ref": "#/description"}}, "description": "text"}, 1, "AttributeError"),
        ({"properties": {"q": {"$ref": "#/required"}}, "required": ["q"]}, 1, "AttributeError"),
        ({"properties": {"q": {"$ref": "#/examples/0"}}, "examples": [{"pattern": 5}]}, "x", "TypeError"),
        ({"properties": {"q": {"$ref": "#/examples/0"}}, "examples": [{"multipleOf": 0}]}, 1, "ZeroDivisionError"),
        ({"properties": {"q": {"$ref": "#/examples/0"}}, "examples": [{"type": "text"}]}, 1, "UnknownType"),
    ],
)
def test_a_part_that_is_no_schema_is_no_fault_of_the_agent(
    schema: dict[str, Any], value: object, why: str
) -> None:
    with pytest.raises(
        ToolBrokenError, match=f"^`input_schema` cannot be held against an input: {why}: .+"
    ) as raised:
        InputSchema(schema).check({"q": value})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("part", "fits"),
    [
        ({"multipleOf": 0.01}, False),
        ({"multipleOf": 0.5}, True),
        ({"multipleOf": 1e-320}, False),
        ({"maximum": 1.5e308}, False),
    ],
)
def test_the_largest_numbers_are_held_against_a_schema(part: dict[str, float], fits: bool) -> None:
    assert (fault({"properties": {"q": part}}, {"q": int(sys.float_info.max)}) is None) is fits


def test_a_number_that_is_too_large_for_the_check_is_told_the_agent() -> None:
    problem = fault({"properties": {"q": {"multipleOf": 10**400}}}, {"q": 1.5})
    assert problem == "invalid input: a number is too large to hold it against the input schema"


def test_a_schema_that_cannot_be_bounded_is_refused() -> None:
    schema = {"patternProperties": {ENDLESS: {}}, "unevaluatedProperties": False}
    with pytest.raises(ToolBrokenError, match="cannot have both"):
        InputSchema(schema).check({LONG: 1})


def test_a_second_check_has_as_much_time_as_the_first() -> None:
    schema = InputSchema({"properties": {"q": {"pattern": ENDLESS}}})
    with pytest.raises(ToolFailedError):
        schema.check({"q": LONG})
    schema.check({"q": "aaa"})
