"""The calls of tools in a model's message. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.agents.json_path import name_kind
from agentlab_ci.agents.openai_names import make_allowed
from agentlab_ci.agents.turn_parts import MalformedError, read_call
from agentlab_ci.core.tool import CallRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call, and its entry of `tool_calls` as it is sent back: as it came, but for what no server would read."""

    request: CallRequest
    entry: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Under which the model expects what comes of the call."""
        return str(self.entry["id"])


def read_calls(message: Mapping[str, Any], *, functions: Mapping[str, str], turn: int) -> tuple[ModelCall, ...]:
    """Return the calls in a message, in order; each has an id, which some servers leave out.

    `functions` are the tools by their names for the model; a name that is not among them stays as it is. `turn`
    tells the ids apart that are made here. Raises MalformedError.
    """
    entries = message.get("tool_calls") or []
    if not isinstance(entries, list):
        raise MalformedError(f"`tool_calls` in the reply is {name_kind(entries)}, not a list")
    if not entries and message.get("function_call"):
        raise MalformedError(
            "the reply has a `function_call`, the form before `tool_calls`, which is not understood"
        )
    return tuple(
        _read_entry(entry, functions, number, made_id=f"call_{turn}_{number}")
        for number, entry in enumerate(entries, start=1)
    )


def _read_entry(entry: object, functions: Mapping[str, str], number: int, *, made_id: str) -> ModelCall:
    function = entry.get("function") if isinstance(entry, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(entry, dict) or not isinstance(function, dict) or not isinstance(name, str) or not name:
        raise MalformedError(f"entry {number} of `tool_calls` in the reply names no function")
    request = _read_request(functions.get(name, name), function.get("arguments"))
    given = entry.get("id")
    call_id = given if given and isinstance(given, str) else made_id
    return ModelCall(request=request, entry=entry | {"id": call_id, "function": _mend(function, request)})


def _mend(function: Mapping[str, Any], request: CallRequest) -> dict[str, Any]:
    """Return what was called in a form that can be part of a request.

    OpenAI refuses names that it does not allow, vLLM and llama.cpp arguments that are no JSON object, even though
    the model wrote them: the sample would end where the model could have put it right.
    """
    written = function.get("arguments")
    if request.invalid is not None:
        arguments = json.dumps({"invalid": written if isinstance(written, str) else name_kind(written)})
    else:
        arguments = written if written and isinstance(written, str) else json.dumps(request.input)
    return {**function, "name": make_allowed(function["name"]), "arguments": arguments}


def _read_request(tool: str, arguments: object) -> CallRequest:
    """Return the request; what the model wrote as arguments is its own mistake, and it is told of it."""
    try:
        return read_call({"name": tool, "input": _read_arguments(arguments)}, name_key="name", where="the call")
    except MalformedError as problem:
        return CallRequest(name=tool, input={}, invalid=str(problem))


def _read_arguments(arguments: object) -> dict[str, Any]:
    if arguments is None or arguments == "":
        return {}  # what some models write for no arguments
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
        json.dumps(value, allow_nan=False)
    except ValueError as problem:
        raise MalformedError(f"the arguments are not JSON: {problem}") from None
    except RecursionError:
        raise MalformedError("the arguments are nested too deeply") from None
    if not isinstance(value, dict):
        raise MalformedError(f"the arguments are {name_kind(value)}, not an object")
    return value
