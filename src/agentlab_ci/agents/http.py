"""An agent behind an HTTP endpoint: one client for each worker slot, one total deadline for each request."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from time import perf_counter
from typing import Any

import httpx

from agentlab_ci.agents.http_reply import SHOWN_BYTES, Answer, read_reply
from agentlab_ci.agents.http_request import RequestParts, build_request, read_env_values
from agentlab_ci.agents.interface import AgentFailedError, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.url import check_url, is_loopback
from agentlab_ci.core.config import HttpAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.url import safe_url

CONNECT_SECONDS = 10.0
"""A host that does not take the connection in this time is not there; `timeout_ms` may be shorter."""
KEEPALIVE_SECONDS = 2.0
"""Idle connections are dropped before a server does so just as the next request is on its way."""


class HttpConnection:
    """A slot's client. Cookies live as long as a session: no sample sees another's."""

    def __init__(
        self, config: HttpAgent, *, url: str, env: Mapping[str, str], cap: int, tls: ssl.SSLContext
    ) -> None:
        self._config = config
        self._url = httpx.URL(url)
        self._where = f"{config.method} {safe_url(url)}"
        self._env = env
        self._cap = cap
        self._client = httpx.AsyncClient(
            verify=tls,
            # A proxy cannot reach this machine's loopback.
            trust_env=not is_loopback(url),
            follow_redirects=False,
            limits=httpx.Limits(max_keepalive_connections=1, keepalive_expiry=KEEPALIVE_SECONDS),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        )

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

        Raises AgentFailedError and AgentBusyError. A connection that breaks in mid-answer is a failed connection,
        as one that was never made: either way the sample may start afresh.
        """
        answer = await self._exchange(build_request(self._config, {**self._env, **values}))
        return read_reply(answer, config=self._config, cap=self._cap, now=datetime.now(UTC))

    async def _exchange(self, parts: RequestParts) -> Answer:
        try:
            async with asyncio.timeout(self._config.timeout_ms / 1000):
                return await self._send(parts)
        except TimeoutError:
            raise AgentFailedError(
                f"{self._where}: no complete answer within {self._config.timeout_ms} ms (`timeout_ms`)",
                reason=TerminationReason.TIMEOUT_EXCEEDED,
            ) from None
        except httpx.LocalProtocolError as problem:
            raise AgentFailedError(
                f"{self._where} cannot be sent ({problem}); check `headers`", reason=TerminationReason.AGENT_ERROR
            ) from None
        except httpx.TransportError as problem:
            raise AgentFailedError(
                f"{self._where}: {_explain(problem)}",
                reason=TerminationReason.HTTP_CONNECTION_FAILED,
                redrawable=True,
            ) from None

    async def _send(self, parts: RequestParts) -> Answer:
        url = self._url
        if parts.query is not None:
            url = url.copy_merge_params(parts.query)  # the client's own `params` would replace the URL's query
        started = perf_counter()
        async with self._client.stream(
            self._config.method, url, headers=parts.headers, content=parts.body
        ) as response:
            body = await _read_up_to(response, self._cap if response.is_success else SHOWN_BYTES)
        return Answer(
            where=self._where,
            status=response.status_code,
            headers=response.headers,
            body=body,
            latency_ms=(perf_counter() - started) * 1000,
        )


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

    Raises BadInputError for a url that no request can be made to, and for environment variables that are not set.
    """
    url = check_url(config.url)
    return HttpConnection(
        config,
        url=url,
        env=read_env_values(config, world.environ),
        cap=world.max_reply_bytes,
        tls=world.tls() if url.lower().startswith("https:") else _context_for_plain_http(),
    )


@cache
def _context_for_plain_http() -> ssl.SSLContext:
    """Return a context that no connection uses: without one, each client would read the CA bundle, 20 ms long."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


async def _read_up_to(response: httpx.Response, cap: int) -> bytes:
    """Read the body as it comes, decoding nothing, until it ends or is longer than `cap`."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > cap:
            break
    return bytes(body)


def _explain(problem: httpx.TransportError) -> str:
    if isinstance(problem, httpx.ConnectTimeout):
        return f"no connection within {CONNECT_SECONDS:g} s; is the agent running, and can this machine reach it?"
    if isinstance(problem, httpx.ConnectError):
        return f"no connection ({_root_cause(problem)}); is the agent running, and is `url` right?"
    return f"the connection broke before the answer was complete ({_root_cause(problem)})"


def _root_cause(problem: BaseException) -> str:
    while (deeper := problem.__cause__ or problem.__context__) is not None:
        problem = deeper
    if isinstance(problem, OSError) and problem.errno is not None and problem.errno > 0:
        return os.strerror(problem.errno)
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
