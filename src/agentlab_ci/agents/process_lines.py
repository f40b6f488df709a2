"""The lines of the protocol that agents in processes of their own speak. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.agents.interface import SessionStart
from agentlab_ci.agents.json_path import name_kind
from agentlab_ci.agents.turn_parts import MalformedError, read_call, read_own_usage
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief
from agentlab_ci.core.trace import Usage
from agentlab_ci.processes.strict_json import NotStrictError, read_json

_TYPES = "`tool_call`, `final` or `error`"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """The agent wants a tool called."""

    call: CallRequest
    message: str | None
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalLine:
    """The agent's answer."""

    output: str
    message: str | None
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorLine:
    """The agent gives up."""

    message: str
    retryable: bool


def write_start(start: SessionStart, brief: TaskBrief) -> bytes:
    """Return the line that starts the work."""
    metadata: dict[str, Any] = {
        "scenarioId": start.scenario_id,
        "provider": Provider.EXTERNAL_PROCESS,
        "sample": start.sample,
    }
    if start.system_prompt is not None:
        metadata["systemPrompt"] = start.system_prompt
    memory = {"memory": start.memory} if start.memory else {}
    tools = [{"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in brief.tools]
    return _write(
        {
            "type": "run_started",
            "input": {
                "instructions": brief.instructions,
                "availableTools": tools,
                "context": {**memory, **brief.variables},
                "maxSteps": brief.max_steps,
                "metadata": metadata | memory,
            },
        }
    )


def write_outcome(outcome: CallOutcome) -> bytes:
    """Return the line that tells what came of a call."""
    line: dict[str, Any] = {"type": "tool_result", "toolName": outcome.name}
    if outcome.error is None:
        line["result"] = outcome.output
    else:
        line["error"] = outcome.error
    return _write(line)


def write_error(message: str) -> bytes:
    """Return the line that tells the agent what was wrong with its own."""
    return _write({"type": "runner_error", "message": message})


def read_line(text: str) -> CallLine | FinalLine | ErrorLine | None:
    """Return what a line says, None for one that is no JSON object. Raises MalformedError."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        line = read_json(text)
    except NotStrictError as problem:
        raise MalformedError(f"{problem.number} in a line {problem.fault}") from None
    except ValueError:
        return None
    except RecursionError:
        raise MalformedError("a line is nested too deeply") from None
    match line.get("type"):
        case "tool_call":
            call = read_call(line, name_key="toolName", where="a line of the type `tool_call`")
            return CallLine(call=call, message=_read_message(line), usage=read_own_usage(line))
        case "final":
            return FinalLine(
                output=_read_text(line, "output"), message=_read_message(line), usage=read_own_usage(line)
            )
        case "error":
            return ErrorLine(message=_read_text(line, "message"), retryable=line.get("retryable") is True)
        case str(other):
            raise MalformedError(f"a line needs the `type` {_TYPES}, but it is `{other}`")
        case other:
            kind = name_kind(other) if "type" in line else "missing"
            raise MalformedError(f"a line needs the `type` {_TYPES}, but it is {kind}")


def _read_text(line: Mapping[str, Any], key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str):
        kind = name_kind(value) if key in line else "missing"
        raise MalformedError(f"a line of the type `{line['type']}` needs `{key}`, a text, but it is {kind}")
    return value


def _read_message(line: Mapping[str, Any]) -> str | None:
    metadata = line.get("metadata")
    message = metadata.get("message") if isinstance(metadata, dict) else None
    return message if isinstance(message, str) else None


def _write(line: Mapping[str, Any]) -> bytes:
    # ASCII escapes: a lone surrogate has no UTF-8 form.
    return json.dumps(line).encode("ascii") + b"\n"
