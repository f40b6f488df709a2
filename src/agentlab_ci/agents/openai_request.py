"""The requests to a chat completions endpoint: their address, their body, and the messages in it. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from agentlab_ci.agents.http_request import JSON_HEADERS, RequestParts
from agentlab_ci.agents.interface import AgentFailedError, SessionStart
from agentlab_ci.core.config import Endpoint, OpenAIAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, TaskBrief, ToolSpec

Message = Mapping[str, Any]
"""An entry of `messages`."""
RESPONSE_FORMAT = "response_format"
"""The key that holds the model to a schema."""


def completions_url(base_url: str) -> str:
    """Return the address of chat completions under a base URL, whose query stays."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))


def build_completion(
    config: Endpoint,
    *,
    key: str,
    messages: Sequence[Message],
    functions: Sequence[Mapping[str, Any]] = (),
    schema: Mapping[str, Any] | None = None,
) -> RequestParts:
    """Return the request for the model's next message; what `extra_body` holds wins over what stands beside it.

    `functions` are those that the model may call, `schema` is what its message is held to. Raises AgentFailedError
    for messages of the model's own that are too deeply nested to be sent back.
    """
    body: dict[str, Any] = {"model": config.model, "messages": list(messages)}
    if functions:
        body["tools"] = list(functions)
    if schema is not None:
        body[RESPONSE_FORMAT] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": schema},
        }
    if config.temperature is not None:
        body["temperature"] = config.temperature
    if config.seed is not None:
        body["seed"] = config.seed
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {key}"}
    try:
        content = _encode(body | dict(config.extra_body))
    except RecursionError:
        raise AgentFailedError(
            "the model's message is nested too deeply to be sent back",
            reason=TerminationReason.INVALID_RESPONSE_FORMAT,
        ) from None
    return RequestParts(headers={name.encode(): value.encode() for name, value in headers.items()}, body=content)


def describe_functions(functions: Mapping[str, str], tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return what the model is told of the tools; `functions` are their names for it, in the same order."""
    return [
        {
            "type": "function",
            "function": {"name": name, "description": tool.description, "parameters": tool.input_schema},
        }
        for name, tool in zip(functions, tools, strict=True)
    ]


def open_messages(config: OpenAIAgent, start: SessionStart) -> tuple[Message, ...]:
    """Return what stands before all that is said: the scenario's system prompt, else the agent's; what is known.

    The latter is the memory and the userdata, each a paragraph of JSON if it holds something.
    """
    prompt = config.system_prompt if start.system_prompt is None else start.system_prompt
    known = {"Memory": start.memory, "Userdata": start.userdata}
    told = (f"{title}:\n{_to_json(data, indent=2)}" for title, data in known.items() if data)
    content = "\n\n".join(part for part in (prompt, *told) if part)
    return ({"role": "system", "content": content},) if content else ()


def say_as_user(text: str) -> Message:
    """Return the message by which the user says something."""
    return {"role": "user", "content": text}


def give_task(brief: TaskBrief) -> Message:
    """Return the message that starts the work: the instructions, and the variables as JSON if there are any."""
    if not brief.variables:
        return say_as_user(brief.instructions)
    return say_as_user(f"{brief.instructions}\n\nContext:\n{_to_json(dict(brief.variables), indent=2)}")


def tell_outcome(call_id: str, outcome: CallOutcome) -> Message:
    """Return the message that tells what came of a call: the tool's output as JSON, or why there is none."""
    told = outcome.output if outcome.error is None else {"error": outcome.error}
    return {"role": "tool", "tool_call_id": call_id, "content": _to_json(told)}


def _encode(body: Mapping[str, Any]) -> bytes:
    """Return the body as JSON: a number that is none, which some servers write and no other reads, is null."""
    # ASCII escapes: a lone surrogate in a message has no UTF-8 form.
    try:
        return json.dumps(body, allow_nan=False).encode()
    except ValueError:
        finite = json.loads(json.dumps(body), parse_constant=lambda _: None)
        return json.dumps(finite, allow_nan=False).encode()


def _to_json(value: object, *, indent: int | None = None) -> str:
    # The model reads this text: escapes would cost it tokens.
    return json.dumps(value, ensure_ascii=False, indent=indent)
