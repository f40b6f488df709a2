"""An agent behind an HTTP endpoint that takes JSON and answers JSON, each message one request."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from agentlab_ci.agents.http_advice import URL_ADVICE
from agentlab_ci.agents.http_exchange import HttpExchange
from agentlab_ci.agents.http_reply import read_reply
from agentlab_ci.agents.http_request import build_request, read_env_values
from agentlab_ci.agents.interface import AgentWorld, Reply, SessionStart
from agentlab_ci.agents.url import check_url
from agentlab_ci.core.config import HttpAgent


class HttpConnection:
    """A slot's connection. Cookies live as long as a session: no sample sees another's."""

    def __init__(
        self, config: HttpAgent, exchange: HttpExchange, *, env: Mapping[str, str], max_reply_bytes: int
    ) -> None:
        self._config = config
        self._exchange = exchange
        self._env = env
        self._max_reply_bytes = max_reply_bytes

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["HttpSession"]:
        """Start a sample's session; nothing is sent yet."""
        self._exchange.start_sample(start)
        yield HttpSession(self, start)

    async def aclose(self) -> None:
        """Close the connections without waiting for the agent."""
        await self._exchange.aclose()

    async def ask(self, values: Mapping[str, Any]) -> Reply:
        """Send one request with `values` for its placeholders, and read the reply, within `timeout_ms` in all.

        Raises AgentFailedError and AgentBusyError.
        """
        answer = await self._exchange.ask(build_request(self._config, {**self._env, **values}))
        return read_reply(answer, config=self._config, cap=self._max_reply_bytes, now=datetime.now(UTC))


class HttpSession:
    """One sample's talk. The history grows by what was answered, and only by that."""

    def __init__(self, connection: HttpConnection, start: SessionStart) -> None:
        self._connection = connection
        self._fixed = {
            "conversation_id": start.conversation_id,
            "memory": start.memory,
            "userdata": start.userdata,
        }
        self._messages = start.history

    async def send(self, message: str) -> Reply:
        """Say `message` and return the answer; raises AgentFailedError and AgentBusyError."""
        messages = (*self._messages, {"role": "user", "content": message})
        reply = await self._connection.ask({**self._fixed, "message": message, "messages": list(messages)})
        self._messages = (*messages, {"role": "assistant", "content": reply.text})
        return reply


def open_http_agent(config: HttpAgent, world: AgentWorld) -> HttpConnection:
    """Open the agent for one slot, without a connection yet.

    Raises BadInputError for a url that no request can be made to, for environment variables that are not set, and
    for those of proxies and certificates that cannot be used.
    """
    url = check_url(config.url)
    env = read_env_values(config, world.environ)
    exchange = HttpExchange(
        method=config.method, url=url, timeout_ms=config.timeout_ms, advice=URL_ADVICE, world=world
    )
    return HttpConnection(config, exchange, env=env, max_reply_bytes=world.max_reply_bytes)
