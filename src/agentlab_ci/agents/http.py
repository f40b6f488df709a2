"""An agent behind an HTTP endpoint: one client for each worker slot, one total deadline for each request."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import httpx

from agentlab_ci.agents.http_client import open_client
from agentlab_ci.agents.http_failure import LIBRARY_ERRORS, explain_failure
from agentlab_ci.agents.http_reply import SHOWN_BYTES, Answer, read_reply
from agentlab_ci.agents.http_request import RequestParts, build_request, read_env_values
from agentlab_ci.agents.interface import AgentFailedError, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.url import check_url
from agentlab_ci.core.config import HttpAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.url import safe_url


class HttpConnection:
    """A slot's client. Cookies live as long as a session: no sample sees another's."""

    def __init__(
        self, config: HttpAgent, client: httpx.AsyncClient, *, url: str, env: Mapping[str, str], world: AgentWorld
    ) -> None:
        self._config = config
        self._client = client
        self._url = httpx.URL(url)
        self._where = f"{config.method} {safe_url(url)}"
        self._env = env
        self._world = world

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["HttpSession"]:
        """Start a sample's session; nothing is sent yet."""
        self._client.cookies.clear()
        yield HttpSession(self, start.conversation_id)

    async def aclose(self) -> None:
        """Close the connections without waiting for the agent."""
        await self._client.aclose()

    async def ask(self, values: Mapping[str, Any]) -> Reply:
        """Send one request with `values` for its placeholders, and read the reply, within `timeout_ms` in all.

        Raises AgentFailedError and AgentBusyError, whatever the library raises. A connection that breaks in
        mid-answer is a failed connection, as one that was never made: either way the sample may start afresh. What
        came back and is not HTTP is an answer in the wrong form: the agent was asked, and is not asked again.
        """
        answer = await self._exchange(build_request(self._config, {**self._env, **values}))
        return read_reply(answer, config=self._config, cap=self._world.max_reply_bytes, now=datetime.now(UTC))

    async def _exchange(self, parts: RequestParts) -> Answer:
        deadline = asyncio.timeout(self._config.timeout_ms / 1000)
        started = perf_counter()
        try:
            async with deadline:
                response, body = await self._send(parts)
        except LIBRARY_ERRORS as problem:
            if deadline.expired():
                raise AgentFailedError(
                    f"{self._where}: no complete answer within {self._config.timeout_ms} ms (`timeout_ms`)",
                    reason=TerminationReason.TIMEOUT_EXCEEDED,
                ) from None
            raise explain_failure(problem, where=self._where) from None
        return Answer(
            where=self._where,
            status=response.status_code,
            headers=response.headers,
            body=body,
            latency_ms=(perf_counter() - started) * 1000,
            mask=self._world.mask,
        )

    async def _send(self, parts: RequestParts) -> tuple[httpx.Response, bytes]:
        """Make the calls of the library, and nothing else: what they raise is the request's failure."""
        url = self._url
        if parts.query is not None:
            url = url.copy_merge_params(parts.query)  # the client's own `params` would replace the URL's query
        async with self._client.stream(
            self._config.method, url, headers=parts.headers, content=parts.body
        ) as response:
            cap = self._world.max_reply_bytes if response.is_success else SHOWN_BYTES
            return response, await _read_up_to(response, cap)


class HttpSession:
    """One sample's talk. The history grows by what was answered, and only by that."""

    def __init__(self, connection: HttpConnection, conversation_id: str) -> None:
        self._connection = connection
        self._conversation_id = conversation_id
        self._messages: tuple[dict[str, str], ...] = ()

    async def send(self, message: str) -> Reply:
        """Say `message` and return the answer; raises AgentFailedError and AgentBusyError."""
        messages = (*self._messages, {"role": "user", "content": message})
        reply = await self._connection.ask(
            {"message": message, "conversation_id": self._conversation_id, "messages": list(messages)}
        )
        self._messages = (*messages, {"role": "assistant", "content": reply.text})
        return reply


def open_http_agent(config: HttpAgent, world: AgentWorld) -> HttpConnection:
    """Open the agent for one slot, without a connection yet.

    Raises BadInputError for a url that no request can be made to, for environment variables that are not set, and
    for those of proxies and certificates that cannot be used.
    """
    url = check_url(config.url)
    env = read_env_values(config, world.environ)
    client = open_client(url, world.tls() if url.lower().startswith("https:") else None)
    return HttpConnection(config, client, url=url, env=env, world=world)


async def _read_up_to(response: httpx.Response, cap: int) -> bytes:
    """Read the body as it comes, decoding nothing, until it ends or is longer than `cap`."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > cap:
            break
    return bytes(body)
