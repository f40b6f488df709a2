"""Turns and tool calls as the items of a chat history of LiveKit."""

import json
from collections.abc import Iterator
from typing import Any

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.trace import EventKind, Role, ToolCall, Turn

_ROLES = {Role.USER: "USER", Role.AGENT: "ASSISTANT"}


def write_items(sample: SampleResult) -> list[dict[str, Any]]:
    """Return what was said and called, in the order of the trace; without one, what was said comes first."""
    items: list[dict[str, Any]] = []
    for kind, index in _order(sample):
        if kind is EventKind.TURN:
            items.append(_write_turn(sample.turns[index]))
        else:
            items += _write_call(sample.tool_calls[index], f"call_{index + 1}")
    return items


def _order(sample: SampleResult) -> list[tuple[EventKind, int]]:
    """Return the kind and the index of each turn and call, each once, whatever the trace says."""
    known = [
        *((EventKind.TURN, index) for index in range(len(sample.turns))),
        *((EventKind.TOOL_CALL, index) for index in range(len(sample.tool_calls))),
    ]
    traced = [(event.kind, event.index) for event in sample.trace if event.index is not None]
    return traced if sorted(known) == sorted(traced) else known


def _write_turn(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": _ROLES[turn.role], "content": [{"text": turn.text}]}
    if turn.latency_ms is not None:
        message["metrics"] = {"e2e_latency": turn.latency_ms / 1000}
    return {"message": message}


def _write_call(call: ToolCall, call_id: str) -> Iterator[dict[str, Any]]:
    yield {"function_call": {"call_id": call_id, "name": call.name, "arguments": json.dumps(call.input)}}
    output = {
        "call_id": call_id,
        "name": call.name,
        "output": _text(call.output if call.error is None else call.error),
    }
    yield {"function_call_output": output | ({} if call.error is None else {"is_error": True})}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
