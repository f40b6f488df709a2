"""An agent that is a model behind an OpenAI-compatible endpoint: it talks, and it works with tools."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from agentlab_ci.agents.http_exchange import HttpExchange
from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.openai_calls import ModelCall
from agentlab_ci.agents.openai_config import name_agent
from agentlab_ci.agents.openai_endpoint import open_endpoint
from agentlab_ci.agents.openai_names import name_functions, read_functions
from agentlab_ci.agents.openai_reply import Completion, read_completion
from agentlab_ci.agents.openai_request import (
    Message,
    build_completion,
    describe_functions,
    give_task,
    open_messages,
    say_as_user,
    tell_outcome,
)
from agentlab_ci.core.config import OpenAIAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, TaskBrief


class OpenAIConnection:
    """A slot's connection. The protocol has no memory: all that was said goes with each request."""

    def __init__(self, config: OpenAIAgent, exchange: HttpExchange, *, key: str, max_reply_bytes: int) -> None:
        self._config = config
        self._exchange = exchange
        self._key = key
        self._max_reply_bytes = max_reply_bytes

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["OpenAITalk"]:
        """Start a sample's talk; nothing is sent yet."""
        self._exchange.start_sample(start)
        yield OpenAITalk(self, (*open_messages(self._config, start), *start.history))

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["OpenAIWork"]:
        """Start a sample's work; nothing is sent yet."""
        self._exchange.start_sample(start)
        yield OpenAIWork(self, (*open_messages(self._config, start), give_task(brief)), brief)

    async def aclose(self) -> None:
        """Close the connections without waiting for the server."""
        await self._exchange.aclose()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        functions: Sequence[Mapping[str, Any]] = (),
        tools: Mapping[str, str] | None = None,
    ) -> Completion:
        """Ask for the model's next message; `tools` are those behind the functions that it may call.

        Raises AgentFailedError and AgentBusyError.
        """
        request = build_completion(self._config, key=self._key, messages=messages, functions=functions)
        return read_completion(
            await self._exchange.ask(request),
            functions=tools or {},
            turn=len(messages),
            price=self._config.price,
            cap=self._max_reply_bytes,
            now=datetime.now(UTC),
        )


class OpenAITalk:
    """One sample's conversation. The history grows by what was answered, and only by that."""

    def __init__(self, connection: OpenAIConnection, messages: tuple[Message, ...]) -> None:
        self._connection = connection
        self._messages = messages

    async def send(self, message: str) -> Reply:
        """Say `message` and return the answer; raises AgentFailedError and AgentBusyError."""
        messages = (*self._messages, say_as_user(message))
        said = await self._connection.complete(messages)
        if said.calls:
            raise AgentFailedError(
                f"the model calls `{said.calls[0].request.name}`, but a conversation has no tools",
                reason=TerminationReason.INVALID_RESPONSE_FORMAT,
            )
        self._messages = (*messages, {"role": "assistant", "content": said.text})
        return Reply(text=said.text, latency_ms=said.latency_ms, usage=said.usage, note=said.note)


class OpenAIWork:
    """One sample's task."""

    def __init__(self, connection: OpenAIConnection, messages: tuple[Message, ...], brief: TaskBrief) -> None:
        self._connection = connection
        self._messages = messages
        names = name_functions(tool.name for tool in brief.tools)
        self._functions = describe_functions(names, brief.tools)
        self._tools = read_functions(names, brief.forbidden)
        self._open_calls: tuple[ModelCall, ...] = ()

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        """Tell what came of the last turn's calls and return the next turn.

        Raises AgentFailedError and AgentBusyError.
        """
        told = (tell_outcome(call.id, outcome) for call, outcome in zip(self._open_calls, outcomes, strict=True))
        messages = (*self._messages, *told)
        said = await self._connection.complete(messages, functions=self._functions, tools=self._tools)
        self._messages = (*messages, said.message)
        self._open_calls = said.calls
        return AgentTurn(
            calls=tuple(call.request for call in said.calls),
            final=None if said.calls else said.text,
            message=said.text or None if said.calls else None,
            latency_ms=said.latency_ms,
            usage=said.usage,
            note=said.note,
        )


def open_openai_agent(config: OpenAIAgent, world: AgentWorld) -> OpenAIConnection:
    """Open the agent for one slot, without a connection yet.

    Raises BadInputError as `open_endpoint` does.
    """
    exchange, key = open_endpoint(config, name_agent(config), world)
    return OpenAIConnection(config, exchange, key=key, max_reply_bytes=world.max_reply_bytes)
