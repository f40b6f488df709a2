"""What a Python agent's function returns. Pure."""

from dataclasses import dataclass, field
from typing import Any

from agentlab_ci.agents.json_path import name_kind
from agentlab_ci.agents.turn_parts import MalformedError, read_call, read_own_usage
from agentlab_ci.core.tool import CallRequest
from agentlab_ci.core.trace import Usage

EXPECTED = "expected a text, or `{reply, tool_calls, usage}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAnswer:
    """An answer: tools to call, or else a reply. Beside calls, the reply is what the agent says about them."""

    reply: str | None
    calls: tuple[CallRequest, ...] = ()
    usage: Usage = field(default_factory=Usage)


def read_answer(value: object) -> PythonAnswer:
    """Return the answer that a value is. Raises MalformedError."""
    if isinstance(value, str):
        return PythonAnswer(reply=value)
    if not isinstance(value, dict):
        kind = "None" if value is None else name_kind(value)
        raise MalformedError(f"it returned {kind}; {EXPECTED}")
    reply, calls = value.get("reply"), value.get("tool_calls")
    if reply is not None and not isinstance(reply, str):
        raise MalformedError(f"the `reply` that it returned is {name_kind(reply)}; {EXPECTED}")
    if calls is not None and not isinstance(calls, list):
        raise MalformedError(f"`tool_calls` that it returned is {name_kind(calls)}; expected a list")
    if reply is None and not calls:
        raise MalformedError(f"it returned {name_kind(value)}, but neither `reply` nor `tool_calls`; {EXPECTED}")
    return PythonAnswer(
        reply=reply,
        calls=tuple(_read_call(call, number) for number, call in enumerate(calls or (), start=1)),
        usage=read_own_usage(value),
    )


def _read_call(call: Any, number: int) -> CallRequest:
    if not isinstance(call, dict):
        raise MalformedError(f"entry {number} of `tool_calls` is {name_kind(call)}; expected `{{name, input}}`")
    return read_call(call, name_key="name", where=f"entry {number} of `tool_calls`")
