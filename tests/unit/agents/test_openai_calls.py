import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.openai_calls import read_calls
from agentlab_ci.agents.turn_parts import MalformedError
from agentlab_ci.core.tool import CallRequest
from openai_talk import asks

FUNCTIONS = {"orders_refund": "orders.refund"}


def read(*entries: object, **message: Any) -> Any:
    return read_calls({"tool_calls": list(entries)} | message, functions=FUNCTIONS, turn=3)


def test_calls_are_read_in_order_and_by_the_tools_own_names() -> None:
    first = asks("orders_refund", '{"order_id": "ord_1"}', id="call_1")
    second = asks("orders_list", "{}", id="call_2")
    both = read(first, second)
    assert [call.request for call in both] == [
        CallRequest(name="orders.refund", input={"order_id": "ord_1"}),
        CallRequest(name="orders_list", input={}),  # nobody's name: as it is
    ]
    assert [call.id for call in both] == ["call_1", "call_2"]
    assert [call.entry for call in both] == [first, second]


def test_what_else_a_server_puts_in_goes_back_to_it() -> None:
    entry = asks("orders_refund", "{}", index=0, extra_content={"google": {"thought_signature": "c2ln"}})
    entry["function"]["strict"] = True
    assert read(entry)[0].entry == entry


@pytest.mark.parametrize("given_id", [None, "", 7])
def test_a_call_without_an_id_gets_one(given_id: object) -> None:
    one, two = read(asks("a", "{}", id=given_id), asks("b", "{}", id=given_id))
    assert (one.id, two.id) == ("call_3_1", "call_3_2")
    assert (one.entry["id"], two.entry["id"]) == ("call_3_1", "call_3_2")


@pytest.mark.parametrize("arguments", ["{}", "", None, {}])
def test_no_arguments_are_an_empty_object(arguments: object) -> None:
    [call] = read(asks("orders_refund", arguments))
    assert call.request == CallRequest(name="orders.refund", input={})
    assert call.entry["function"]["arguments"] == "{}"


def test_arguments_may_be_an_object_already() -> None:
    [call] = read(asks("orders_refund", {"order_id": "ord_1"}))
    assert call.request.input == {"order_id": "ord_1"}
    assert call.entry["function"]["arguments"] == '{"order_id": "ord_1"}'


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"order_id": ', "the arguments are not JSON: Expecting value: line 1 column 14 (char 13)"),
        ("ord_1", "the arguments are not JSON: Expecting value: line 1 column 1 (char 0)"),
        ('["ord_1"]', "the arguments are a list of 1, not an object"),
        ('"ord_1"', "the arguments are text, not an object"),
        ("null", "the arguments are null, not an object"),
        ([], "the arguments are a list of 0, not an object"),
        ('{"n": NaN}', "the arguments are not JSON: Out of range float values are not JSON compliant"),
        ('{"n": 1e999}', "the arguments are not JSON: Out of range float values are not JSON compliant"),
        ('{"n": ' + "[" * 70 + "]" * 70 + "}", "`input` of the call is nested more than 64 levels deep"),
        ('{"n": ' + "[" * 99_999 + "]" * 99_999 + "}", "the arguments are nested too deeply"),
    ],
)
def test_arguments_that_cannot_be_read_are_the_models_mistake(arguments: object, why: str) -> None:
    [call] = read(asks("orders_refund", arguments))
    assert call.request.name == "orders.refund"
    assert call.request.input == {}
    assert (call.request.invalid or "").startswith(why)
    # what goes back can be read by every server, and tells the model what it wrote
    sent = json.loads(call.entry["function"]["arguments"])
    assert sent == {"invalid": arguments if isinstance(arguments, str) else "a list of 0"}


def test_a_name_that_no_server_takes_back_is_changed_on_its_way_back_only() -> None:
    [call] = read(asks("functions.orders.refund", "{}"))
    assert call.request.name == "functions.orders.refund"
    assert call.entry["function"]["name"] == "functions_orders_refund"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"tool_calls": "refund"}, "`tool_calls` in the reply is text, not a list"),
        ({"tool_calls": {"id": 1}}, "`tool_calls` in the reply is an object with id, not a list"),
        ({"tool_calls": ["refund"]}, "entry 1 of `tool_calls` in the reply names no function"),
        ({"tool_calls": [asks("a", "{}"), {"id": "x"}]}, "entry 2 of `tool_calls` in the reply names no function"),
        ({"tool_calls": [asks("", "{}")]}, "entry 1 of `tool_calls` in the reply names no function"),
        ({"tool_calls": [{"function": {"name": 7}}]}, "entry 1 of `tool_calls` in the reply names no function"),
        (
            {"tool_calls": None, "function_call": {"name": "a", "arguments": "{}"}},
            "the reply has a `function_call`, the form before `tool_calls`, which is not understood",
        ),
    ],
)
def test_what_is_no_call_says_so(message: dict[str, Any], why: str) -> None:
    with pytest.raises(MalformedError) as problem:
        read_calls(message, functions=FUNCTIONS, turn=1)
    assert str(problem.value) == why


@pytest.mark.parametrize("none", [{}, {"tool_calls": None}, {"tool_calls": []}, {"function_call": None}])
def test_there_may_be_no_call(none: dict[str, Any]) -> None:
    assert read_calls(none, functions=FUNCTIONS, turn=1) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FUNCTION = st.fixed_dictionaries({}, optional={"name": st.text() | JSON, "arguments": st.text() | JSON})
ENTRY = st.fixed_dictionaries({}, optional={"id": st.text() | JSON, "function": FUNCTION | JSON})


@settings(derandomize=True, deadline=None)
@given(st.lists(ENTRY | JSON, max_size=3) | JSON)
def test_whatever_a_server_sends_is_calls_or_malformed(sent: Any) -> None:
    try:
        found = read_calls({"tool_calls": sent}, functions=FUNCTIONS, turn=1)
    except MalformedError:
        return
    for call in found:
        assert call.id
        assert isinstance(json.loads(call.entry["function"]["arguments"]), dict)


@settings(derandomize=True, deadline=None)
@given(st.text() | JSON)
def test_whatever_a_model_writes_as_arguments_is_input_or_its_mistake(arguments: Any) -> None:
    [call] = read(asks("orders_refund", arguments))
    sent = json.loads(call.entry["function"]["arguments"])
    assert sent == call.request.input or list(sent) == ["invalid"]
