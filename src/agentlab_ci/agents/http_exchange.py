"""Requests to one address over a worker slot's own client, one total deadline for each."""

import asyncio
from functools import partial
from time import perf_counter

import httpx

from agentlab_ci.agents.http_advice import HttpAdvice
from agentlab_ci.agents.http_client import open_client
from agentlab_ci.agents.http_failure import LIBRARY_ERRORS, explain_failure
from agentlab_ci.agents.http_faults import Received, name_fault, receive
from agentlab_ci.agents.http_reply import SHOWN_BYTES, Answer
from agentlab_ci.agents.http_request import RequestParts
from agentlab_ci.agents.interface import AgentFailedError, AgentWorld, SessionStart, no_fault
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.url import safe_url


class HttpExchange:
    """A slot's way to an address that `find_url_fault` has nothing against; not connected before a request.

    Cookies live as long as a sample. Raises BadInputError for variables of proxies and certificates that
    cannot be used.
    """

    def __init__(self, *, method: str, url: str, timeout_ms: int, advice: HttpAdvice, world: AgentWorld) -> None:
        self._client = open_client(url, world.tls() if url.lower().startswith("https:") else None)
        self._method = method
        self._url = httpx.URL(url)
        self._where = f"{method} {safe_url(url)}"
        self._timeout_ms = timeout_ms
        self._advice = advice
        self._world = world
        self._next_fault = no_fault

    def start_sample(self, start: SessionStart) -> None:
        """Start afresh: no sample sees another's cookies, or suffers its faults."""
        self.forget_cookies()
        self._next_fault = start.next_fault

    def forget_cookies(self) -> None:
        """Let the next request be that of somebody new."""
        self._client.cookies.clear()

    async def aclose(self) -> None:
        """Close the connections without waiting for the other side."""
        await self._client.aclose()

    async def ask(self, parts: RequestParts) -> Answer:
        """Send one request and read the answer up to the cap, within the time limit in all.

        Raises AgentFailedError, whatever the library raises. A connection that breaks in mid-answer is a failed
        connection, as one that was never made: either way the sample may start afresh. What came back and is not
        HTTP is an answer in the wrong form: the agent was asked, and is not asked again. What comes of a fault of
        the sample is called one.
        """
        fault = self._next_fault()
        where = self._where if fault is None else f"{self._where} (fault: {name_fault(fault)})"
        deadline = asyncio.timeout(self._timeout_ms / 1000)
        started = perf_counter()
        try:
            async with deadline:
                received = await receive(partial(self._send, parts), fault)
        except LIBRARY_ERRORS as problem:
            if deadline.expired():
                raise AgentFailedError(
                    f"{where}: no complete answer within {self._timeout_ms} ms (`timeout_ms`)",
                    reason=TerminationReason.TIMEOUT_EXCEEDED,
                ) from None
            raise explain_failure(problem, where=where, advice=self._advice) from None
        return Answer(
            where=where,
            status=received.status,
            headers=received.headers,
            body=received.body,
            latency_ms=(perf_counter() - started) * 1000,
            mask=self._world.mask,
            advice=self._advice,
        )

    async def _send(self, parts: RequestParts) -> Received:
        """Make the calls of the library, and nothing else: what they raise is the request's failure."""
        url = self._url
        if parts.query is not None:
            url = url.copy_merge_params(parts.query)  # the client's own `params` would replace the URL's query
        async with self._client.stream(self._method, url, headers=parts.headers, content=parts.body) as response:
            cap = self._world.max_reply_bytes if response.is_success else SHOWN_BYTES
            body = await _read_up_to(response, cap)
            return Received(status=response.status_code, headers=response.headers, body=body)


async def _read_up_to(response: httpx.Response, cap: int) -> bytes:
    """Read the body as it comes, decoding nothing, until it ends or is longer than `cap`."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > cap:
            break
    return bytes(body)
