"""Chat histories of LiveKit as turns, tool calls and their order."""

import json
from typing import Any

import pytest

from agentlab_ci.core.trace import EventKind, Role
from agentlab_ci.loading.livekit_history import NO_OUTPUT, Conversation, read_conversation
from agentlab_ci.loading.livekit_time import milliseconds, read_moment, write_moment
from hostile import HOSTILE_TEXTS

STARTED = read_moment("2026-04-07T00:12:30Z")


def told(*items: dict[str, Any]) -> Conversation:
    return read_conversation(items, started=STARTED)


def test_both_forms_of_an_item_are_read() -> None:
    wrapped = told(
        {"message": {"role": "USER", "content": [{"text": "hi"}], "created_at": "2026-04-07T00:12:31.500Z"}},
        {"message": {"role": "ASSISTANT", "content": [{"text": "a"}, {"text": "b"}], "interrupted": True}},
        {"function_call": {"call_id": "c", "name": "refund", "arguments": '{"id": 1}'}},
        {"function_call_output": {"call_id": "c", "output": "ok"}},
        {"agent_handoff": {"new_agent_id": "closing"}},
    )
    typed = told(
        {"type": "message", "role": "user", "content": ["hi"], "created_at": 1775520751.5},
        {"type": "message", "role": "assistant", "content": ["a", "b"], "interrupted": True},
        {"type": "function_call", "call_id": "c", "name": "refund", "arguments": '{"id": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "ok", "is_error": False},
        {"type": "agent_handoff", "new_agent_id": "closing", "old_agent_id": None},
    )
    for said in (wrapped, typed):
        assert [(t.role, t.text, t.note) for t in said.turns] == [
            (Role.USER, "hi", None),
            (Role.AGENT, "a\nb", "interrupted"),
        ]
        assert [(c.name, c.input, c.output, c.error) for c in said.tool_calls] == [
            ("refund", {"id": 1}, "ok", None)
        ]
        assert [(e.kind, e.index, e.text, e.at_ms) for e in said.trace] == [
            (EventKind.TURN, 0, None, 1500),
            (EventKind.TURN, 1, None, 0),
            (EventKind.TOOL_CALL, 0, None, 0),
            (EventKind.LOG, None, "agent handoff: to closing", 0),
        ]


def test_what_is_neither_user_nor_agent_is_logged() -> None:
    said = told(
        {"message": {"content": [{"text": "rules"}]}},  # the role that is zero
        {"message": {"role": "SYSTEM", "content": "be kind"}},
        {"agent_config_update": {"instructions": "You sell."}},
        {"agent_handoff": {"old_agent_id": "a", "new_agent_id": "b"}},
        {"later_kind": {"x": 1}},
    )
    assert said.turns == []
    assert [event.text for event in said.trace] == [
        "developer: rules",
        "system: be kind",
        'agent config update: {"instructions": "You sell."}',
        "agent handoff: a -> b",
        'item: {"later_kind": {"x": 1}}',
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("", {}),
        (None, {}),
        ("not JSON", {"arguments": "not JSON"}),
        ("[1]", {"arguments": [1]}),
        ('{"a": NaN}', {"arguments": '{"a": NaN}'}),
        ('{"a": 1e999}', {"a": "inf"}),
        ("[" * 10_000, {"arguments": "[" * 10_000}),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_arguments_are_json_in_text(arguments: object, expected: dict[str, Any]) -> None:
    (call,) = told({"function_call": {"name": "t", "arguments": arguments}}).tool_calls
    assert call.input == expected
    assert call.error == NO_OUTPUT


def test_an_output_finds_its_call() -> None:
    said = told(
        {"function_call": {"call_id": "a", "name": "one"}},
        {"function_call": {"call_id": "b", "name": "two"}},
        {"function_call_output": {"call_id": "b", "output": "second"}},
        {"function_call_output": {"call_id": "a", "output": "broke", "is_error": True}},
        {"function_call_output": {"call_id": "zz", "name": "lost", "output": "of nobody"}},
        {"function_call": {"call_id": "c", "name": "three"}},
        {"function_call_output": {"call_id": "c", "is_error": True}},
    )
    assert [(call.name, call.output, call.error) for call in said.tool_calls] == [
        ("one", None, "broke"),
        ("two", "second", None),
        ("lost", "of nobody", None),
        ("three", None, "failed"),
    ]


@pytest.mark.parametrize(
    "item", [{}, {"type": 3}, {"message": 3}, {"message": {"content": [[1], None, {"image": 2}]}}]
)
def test_nothing_an_item_holds_is_too_odd(item: dict[str, Any]) -> None:
    assert len(told(item).trace) == 1


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_kept_as_it_is(text: str) -> None:
    said = told(json.loads(json.dumps({"message": {"role": "USER", "content": [{"text": text}]}})))
    assert [turn.text for turn in said.turns] == [text]


@pytest.mark.parametrize(
    ("metrics", "latency"),
    [
        ({"e2e_latency": 1.5}, 1500),
        ({"e2e_latency": -1}, None),
        ({"e2e_latency": True}, None),
        ({}, None),
        (3, None),
    ],
)
def test_latency_is_the_agents(metrics: object, latency: float | None) -> None:
    (turn,) = told({"message": {"role": "ASSISTANT", "content": [], "metrics": metrics}}).turns
    assert turn.latency_ms == latency


@pytest.mark.parametrize(
    "given",
    [
        "2026-04-07T00:12:30Z",
        "2026-04-07T02:12:30+02:00",
        "1775520750",
        1775520750.0,
        "1775520750000",
        1775520750000000,
        "1775520750000000000",
        "2026-04-07T00:12:30",  # without a zone it is UTC
    ],
)
def test_moments_come_in_many_forms(given: object) -> None:
    assert write_moment(read_moment(given)) == "2026-04-07T00:12:30.000+00:00"


@pytest.mark.parametrize(
    "given", ["", "yesterday", None, True, [], "9" * 400, "nan", "inf", -1e300, "0001-01-01T00:00:00+14:00"]
)
def test_what_is_no_moment_is_none(given: object) -> None:
    assert read_moment(given) is None
    assert write_moment(None) is None


def test_time_never_runs_backwards() -> None:
    assert milliseconds(read_moment("20"), read_moment("10")) == 0
    assert milliseconds(None, read_moment("10")) == 0
