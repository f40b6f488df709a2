"""What was said and called in a job of LiveKit, as turns, tool calls and their order.

An item is either an object under the name of its kind, as LiveKit's command writes it, or bears its kind as
`type`, as its agents' own chat contexts do.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic_core import from_json

from agentlab_ci.core.trace import MOST, EventKind, Role, ToolCall, TraceEvent, Turn
from agentlab_ci.loading.livekit_time import milliseconds, read_moment
from agentlab_ci.loading.plain import finite

_ROLES = {"user": Role.USER, "assistant": Role.AGENT}
_KINDS = ("message", "function_call", "function_call_output", "agent_handoff", "agent_config_update")
_BOOKKEEPING = ("id", "type", "created_at")
_DEFAULT_ROLE = "developer"
"""The role that is zero, and so is left out."""
NO_OUTPUT = "no output of the call is in the export"


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Grows item by item; what is neither a turn nor a tool call becomes a line of the log."""

    started: datetime | None
    turns: list[Turn] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    trace: list[TraceEvent] = field(default_factory=list)
    _open: dict[str, int] = field(default_factory=dict)
    """The calls that have no output yet, by call id."""

    def add(self, item: Mapping[str, Any]) -> None:
        """Take in one item, of whatever kind."""
        kind, body = _kind_of(item)
        at_ms = milliseconds(self.started, read_moment(body.get("created_at")))
        match kind:
            case "message":
                self._add_message(body, at_ms)
            case "function_call":
                self._open[_text(body.get("call_id"))] = len(self.tool_calls)
                call = ToolCall(name=_text(body.get("name")), input=_read_arguments(body), error=NO_OUTPUT)
                self._add_call(call, at_ms)
            case "function_call_output":
                self._add_output(body, at_ms)
            case "agent_handoff":
                old, new = _text(body.get("old_agent_id")), _text(body.get("new_agent_id"))
                self._log(f"agent handoff: {old} -> {new}" if old else f"agent handoff: to {new}", at_ms)
            case _:
                said = {key: value for key, value in body.items() if key not in _BOOKKEEPING}
                self._log(f"{kind.replace('_', ' ')}: {_text(said)}", at_ms)

    def _add_message(self, body: Mapping[str, Any], at_ms: float) -> None:
        role, text = _text(body.get("role") or _DEFAULT_ROLE).lower(), _read_content(body.get("content"))
        if role not in _ROLES:
            self._log(f"{role}: {text}", at_ms)
            return
        self.trace.append(TraceEvent(at_ms=at_ms, kind=EventKind.TURN, index=len(self.turns)))
        self.turns.append(
            Turn(
                role=_ROLES[role],
                text=text,
                latency_ms=_read_latency(body.get("metrics")),
                note="interrupted" if body.get("interrupted") is True else None,
            )
        )

    def _add_call(self, call: ToolCall, at_ms: float) -> None:
        self.trace.append(TraceEvent(at_ms=at_ms, kind=EventKind.TOOL_CALL, index=len(self.tool_calls)))
        self.tool_calls.append(call)

    def _add_output(self, body: Mapping[str, Any], at_ms: float) -> None:
        output = _text(body.get("output"))
        ended = (
            {"error": output or "failed"} if body.get("is_error") is True else {"output": output, "error": None}
        )
        index = self._open.pop(_text(body.get("call_id")), None)
        if index is None:
            self._add_call(ToolCall(name=_text(body.get("name")), input={}).model_copy(update=ended), at_ms)
        else:
            self.tool_calls[index] = self.tool_calls[index].model_copy(update=ended)

    def _log(self, text: str, at_ms: float) -> None:
        self.trace.append(TraceEvent(at_ms=at_ms, kind=EventKind.LOG, text=text))


def read_conversation(items: Iterable[Mapping[str, Any]], *, started: datetime | None) -> Conversation:
    """Return what the items tell, in their order; `started` is when the job did."""
    conversation = Conversation(started=started)
    for item in items:
        conversation.add(item)
    return conversation


def _kind_of(item: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    for kind in _KINDS:
        if isinstance(item.get(kind), Mapping):
            return kind, item[kind]
    given = item.get("type")
    return (given if isinstance(given, str) and given else "item"), item


def _read_content(content: object) -> str:
    parts = content if isinstance(content, list | tuple) else [content]
    return "\n".join(_text(part.get("text", part) if isinstance(part, Mapping) else part) for part in parts)


def _read_arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of a call, which is JSON as text; what is no object stands under `arguments`."""
    given = body.get("arguments")
    try:
        read = from_json(given, allow_inf_nan=False) if isinstance(given, str) and given else given
    except ValueError:
        read = given
    if read is None or read == "":
        return {}
    kept = finite(read)
    return kept if isinstance(kept, dict) else {"arguments": kept}


def _read_latency(metrics: object) -> float | None:
    seconds = metrics.get("e2e_latency") if isinstance(metrics, Mapping) else None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds * 1000 <= MOST:
        return None
    return seconds * 1000


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
