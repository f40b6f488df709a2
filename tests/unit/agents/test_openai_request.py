import json
from dataclasses import replace
from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentFailedError
from agentlab_ci.agents.openai_request import (
    build_completion,
    completions_url,
    describe_functions,
    give_task,
    open_messages,
    tell_outcome,
)
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome
from openai_talk import KEY, SCHEMA, brief, model, start

HELLO = {"role": "user", "content": "hello"}


def body_of(**config: Any) -> Any:
    parts = build_completion(model(**config), key=KEY, messages=[HELLO], functions=[])
    assert parts.body is not None
    return json.loads(parts.body)


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000", "http://localhost:8000/chat/completions"),
        ("https://x.test/d?api-version=1", "https://x.test/d/chat/completions?api-version=1"),
    ],
)
def test_completions_stand_under_the_base_url(base_url: str, url: str) -> None:
    assert completions_url(base_url) == url


def test_nothing_is_sent_that_was_not_configured() -> None:
    assert body_of() == {"model": "m", "messages": [HELLO]}


def test_what_is_configured_is_sent() -> None:
    assert body_of(temperature=0, seed=7) == {"model": "m", "messages": [HELLO], "temperature": 0, "seed": 7}


def test_the_extra_body_wins() -> None:
    body = body_of(temperature=0, extra_body={"temperature": 1, "model": "m2", "reasoning": {"effort": "low"}})
    assert body == {"model": "m2", "messages": [HELLO], "temperature": 1, "reasoning": {"effort": "low"}}


def test_numbers_that_json_has_no_form_for_are_null() -> None:
    said = {"role": "assistant", "content": "NaN", "score": [float("nan"), {"of": float("-inf")}, 1.5]}
    parts = build_completion(model(extra_body={"top_p": float("inf")}), key=KEY, messages=[said], functions=[])
    body = json.loads(parts.body or b"", parse_constant=pytest.fail)
    assert body["messages"] == [{"role": "assistant", "content": "NaN", "score": [None, {"of": None}, 1.5]}]
    assert body["top_p"] is None


def test_the_key_goes_in_a_header_and_compression_is_not_asked_for() -> None:
    headers = build_completion(model(), key=KEY, messages=[HELLO], functions=[]).headers
    assert headers[b"Authorization"] == f"Bearer {KEY}".encode()
    assert headers[b"Accept-Encoding"] == b"identity"
    assert headers[b"Content-Type"] == b"application/json"


def test_half_a_surrogate_pair_can_be_sent() -> None:
    parts = build_completion(model(), key=KEY, messages=[{"role": "user", "content": "\ud83d"}], functions=[])
    assert parts.body is not None
    assert json.loads(parts.body)["messages"][0]["content"] == "\ud83d"


def test_a_message_that_is_nested_too_deeply_to_be_sent_back_ends_the_sample() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(AgentFailedError, match="nested too deeply") as failure:
        build_completion(model(), key=KEY, messages=[{"role": "assistant", "x": deep}], functions=[])
    assert failure.value.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    while deep:  # one by one: freeing it whole would go as deep
        deep = deep.pop()


def test_tools_are_described_with_their_schema() -> None:
    tools = brief("orders.refund").tools
    assert describe_functions({"orders_refund": "orders.refund"}, tools) == [
        {
            "type": "function",
            "function": {"name": "orders_refund", "description": "Does orders.refund.", "parameters": SCHEMA},
        }
    ]


@pytest.mark.parametrize(
    ("of_agent", "of_scenario", "prompt"),
    [
        (None, None, None),
        ("agent", None, "agent"),
        ("agent", "scenario", "scenario"),  # what is nearer to the sample wins
        (None, "scenario", "scenario"),
        ("agent", "", None),  # a scenario may do without
    ],
)
def test_the_scenarios_system_prompt_wins(
    of_agent: str | None, of_scenario: str | None, prompt: str | None
) -> None:
    messages = open_messages(model(system_prompt=of_agent), start(of_scenario))
    assert list(messages) == ([{"role": "system", "content": prompt}] if prompt else [])


def test_a_task_is_told_by_its_instructions() -> None:
    assert give_task(brief()) == {"role": "user", "content": "Refund it."}


def test_a_tasks_variables_follow_as_json() -> None:
    content = give_task(brief(variables={"email": "zoë@example.com", "tries": [1, 2]}))["content"]
    instructions, _, block = content.partition("\n\nContext:\n")
    assert instructions == "Refund it."
    assert json.loads(block) == {"email": "zoë@example.com", "tries": [1, 2]}
    assert "zoë" in block, "escapes cost tokens"


@pytest.mark.parametrize(
    ("outcome", "content"),
    [
        (CallOutcome(name="t", output={"order": "größer"}), '{"order": "größer"}'),
        (CallOutcome(name="t", output=[]), "[]"),
        (CallOutcome(name="t", output=None), "null"),
        (CallOutcome(name="t", output="MALFORMED_OUTPUT"), '"MALFORMED_OUTPUT"'),
        (CallOutcome(name="t", error="no such order"), '{"error": "no such order"}'),
    ],
)
def test_what_came_of_a_call_is_told_as_json(outcome: CallOutcome, content: str) -> None:
    assert tell_outcome("call_a", outcome) == {"role": "tool", "tool_call_id": "call_a", "content": content}


def test_userdata_follows_the_memory() -> None:
    knows = replace(start("Be kind."), memory={"seat": "Gang"}, userdata={"order": "ord_1"})
    (told,) = open_messages(model(), knows)
    assert told["content"] == (
        'Be kind.\n\nMemory:\n{\n  "seat": "Gang"\n}\n\nUserdata:\n{\n  "order": "ord_1"\n}'
    )


def test_a_memory_needs_no_prompt() -> None:
    remembers = replace(start(), memory={"seat": "Gang"})
    assert open_messages(model(), remembers) == ({"role": "system", "content": 'Memory:\n{\n  "seat": "Gang"\n}'},)
