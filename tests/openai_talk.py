"""Talking to an openai agent in a test: its config, what a server may answer, tasks and the tools in them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agentlab_ci.agents.http_reply import Answer
from agentlab_ci.agents.interface import AgentWorld, SessionStart
from agentlab_ci.agents.openai_config import advise, name_agent
from agentlab_ci.core.config import OpenAIAgent
from agentlab_ci.core.tool import TaskBrief, ToolSpec
from http_talk import LONG_MS, world

KEY = "sk-canary-123456"


def model(base_url: str = "http://a/v1", **more: Any) -> OpenAIAgent:
    """Return the config of an agent at `base_url` that has all the time it needs."""
    given = {"name": "gpt", "provider": "openai", "model": "m", "base_url": base_url, "timeout_ms": LONG_MS}
    return OpenAIAgent.model_validate(given | more)


def keyed_world() -> AgentWorld:
    """Return a world that has the key."""
    return world(environ={"OPENAI_API_KEY": KEY})


def start(system_prompt: str | None = None) -> SessionStart:
    """Return the start of a sample."""
    return SessionStart(scenario_id="s.one", sample=1, conversation_id="c1", system_prompt=system_prompt)


def brief(*tools: str, **more: Any) -> TaskBrief:
    """Return a job with these tools."""
    specs = tuple(ToolSpec(name=name, description=f"Does {name}.", input_schema=SCHEMA) for name in tools)
    return TaskBrief(**{"instructions": "Refund it.", "tools": specs} | more)


SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"order_id": {"type": "string"}}}


def says(content: object = None, *, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    """Return the JSON of a completion with this content, and whatever else its message holds."""
    whole = {"role": "assistant", "content": content} | message
    return {"object": "chat.completion", "choices": [{"index": 0, "message": whole, "finish_reason": finish}]}


def asks(name: str, arguments: object, **more: Any) -> dict[str, Any]:
    """Return an entry of `tool_calls`."""
    return {"id": "call_a", "type": "function", "function": {"name": name, "arguments": arguments}} | more


def calls(*entries: Mapping[str, Any], content: str | None = None) -> dict[str, Any]:
    """Return the JSON of a completion that calls tools."""
    return says(content, finish="tool_calls", tool_calls=list(entries))


def answer(data: object, *, status: int = 200, config: OpenAIAgent | None = None) -> Answer:
    """Return the HTTP answer that holds this JSON, or these bytes."""
    asked = config or model()
    return Answer(
        where="POST http://a/v1/chat/completions",
        status=status,
        headers={},
        body=data if isinstance(data, bytes) else json.dumps(data).encode(),
        latency_ms=5,
        mask=lambda text: text.replace(KEY, "***"),
        advice=advise(asked, name_agent(asked)),
    )


def contents(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Return who said what, without the rest."""
    return [(message["role"], message["content"]) for message in messages]
