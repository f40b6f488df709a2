from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.tools.input_schema import InputSchema, find_schema_faults
from agentlab_ci.tools.interface import ToolBrokenError, ToolFailedError

DRAFT_3 = "http://json-schema.org/draft-03/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def faults(schema: dict[str, Any]) -> list[tuple[str, str]]:
    return [(".".join(map(str, way)), message) for way, message in find_schema_faults(schema)]


@pytest.mark.parametrize(
    ("schema", "way", "message"),
    [
        ({"$ref": "#/description", "description": "x"}, "$ref", "'#/description' leads to no schema"),
        (
            {"anyOf": [{}, {"$ref": "#/required"}], "required": ["a"]},
            "anyOf.1.$ref",
            "'#/required' leads to no schema",
        ),
        (
            {"properties": {"q": {"$ref": "#/examples/0"}}, "examples": [{"pattern": 5}]},
            "properties.q.$ref",
            "'#/examples/0' leads to no schema: pattern: 5 is not of type 'string'",
        ),
        (
            {"properties": {"q": {"$ref": "#/$defs/gone"}}},
            "properties.q.$ref",
            "'#/$defs/gone' leads nowhere: the schema does not hold it, and nothing is fetched",
        ),
        ({"$dynamicRef": "#gone"}, "$dynamicRef", "'#gone' leads nowhere"),
        (
            {"not": {"$ref": "https://example.com/other.json"}},
            "not.$ref",
            "'https://example.com/other.json' leads no",
        ),
        # A part that is only reached by a reference, and does not lead on.
        (
            {"$ref": "#/examples/0", "examples": [{"items": {"$ref": "#/examples/1"}}]},
            "examples.0.items.$ref",
            "'#/examples/1' leads nowhere",
        ),
        # In the words of another dialect.
        ({"$schema": DRAFT_7, "definitions": {"a": {"$ref": "#/b"}}}, "definitions.a.$ref", "'#/b' leads nowhere"),
        (
            {"$id": "https://example.com/", "not": {"$id": "http://["}},
            "",
            "holds an `$id` that is no address: Invalid IPv6 URL",
        ),
        ({"$id": "http://[", "$ref": "y"}, "$ref", "'y' is no address: Invalid IPv6 URL"),
        (
            {"$id": "https://example.com/", "$ref": "http://["},
            "$ref",
            "'http://[' is no address: Invalid IPv6 URL",
        ),
        # Patterns are held against `re`, as jsonschema does it.
        ({"items": {"pattern": "("}}, "", "is not a JSON schema: items.pattern: '(' is not a 'regex'"),
        ({"type": "text"}, "", "is not a JSON schema: type: 'text' is not valid"),
        ({"$schema": 5}, "", "is not a JSON schema: $schema: must be text"),
        (
            {"allOf": [{"patternProperties": {"a": {}}}], "unevaluatedProperties": False},
            "",
            "`input_schema` cannot have both unevaluatedProperties and patternProperties",
        ),
    ],
)
def test_a_part_that_no_input_could_be_held_against_is_named(
    schema: dict[str, Any], way: str, message: str
) -> None:
    ((found, what),) = faults(schema)
    assert found == way
    assert what.startswith(message)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"inner": {"$ref": "#"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": True}},
        {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"$anchor": "here"}, "c": {"$ref": "#here"}}},
        {"$id": "https://example.com/a", "$defs": {"b": {"$id": "b"}}, "$ref": "b"},
        # Data, and a property of that name.
        {"const": {"$ref": "#/nowhere"}, "enum": [{"$ref": "#/nowhere"}], "default": {"pattern": "("}},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}}},
        {"$schema": DRAFT_7, "definitions": {"a": {"type": "string"}}, "items": [{"$ref": "#/definitions/a"}]},
        {"$schema": DRAFT_7, "dependencies": {"a": ["b"], "c": {"$ref": "#"}}, "additionalItems": False},
        {
            "$schema": DRAFT_3,
            "dependencies": {"a": "b", "c": {}},
            "type": ["string", {"type": "null"}],
            "extends": {},
        },
        {"properties": {"q": {"$schema": DRAFT_7, "$ref": "#/$defs/a"}}, "$defs": {"a": {}}},
    ],
)
def test_a_schema_whose_references_lead_to_schemas_has_no_fault(schema: dict[str, Any]) -> None:
    assert faults(schema) == []


SCHEMAS = st.recursive(
    st.sampled_from([True, "text", 5, {}, {"type": "string"}]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["properties", "allOf", "not", "$defs", "examples", "title"]), inner)
        | st.fixed_dictionaries(
            {"$ref": st.sampled_from(["#", "#/$defs", "#/not", "#/examples/0", "#a", "a", "#/title"])}
        )
        | st.fixed_dictionaries({"pattern": st.sampled_from(["a", "(", 5])})
    ),
    max_leaves=8,
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.dictionaries(st.sampled_from(["properties", "allOf", "not", "$defs", "examples", "title"]), SCHEMAS),
    st.dictionaries(st.sampled_from(["not", "type", "allOf", "title"]), st.sampled_from(["a", 1, [], {}])),
)
def test_what_has_no_fault_can_be_held_against_any_input(schema: dict[str, Any], value: dict[str, Any]) -> None:
    found = faults(schema)
    try:
        InputSchema(schema).check(value)
    except ToolFailedError:
        return
    except ToolBrokenError:
        assert found
