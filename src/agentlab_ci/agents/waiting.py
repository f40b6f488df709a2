"""Waiting until a server answers, before the first sample is sent to it."""

import asyncio
from collections.abc import AsyncIterator

from agentlab_ci.agents.http_client import open_client, read_trusted_authorities
from agentlab_ci.agents.http_failure import LIBRARY_ERRORS, explain_failure
from agentlab_ci.agents.url import check_url
from agentlab_ci.core.url import safe_url
from agentlab_ci.errors import BadInputError
from agentlab_ci.interrupts import Interrupts

PAUSE_SECONDS = 0.5
TRY_SECONDS = 5.0
"""A server that accepts a connection while it starts may never answer on it: it is asked anew after this time."""


def wait_for_answer(url: str, *, seconds: float, interrupts: Interrupts, pause: float = PAUSE_SECONDS) -> None:
    """Ask `url` until it answers with an HTTP status below 500, for `seconds` in all.

    Returns at once after a signal. Raises BadInputError that says what was seen last.
    """
    check_url(url)
    # Not asyncio.run: it waits for the threads of name look-ups, which may hang.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_wait(url, seconds=seconds, interrupts=interrupts, pause=pause))
    finally:
        loop.close()


async def _wait(url: str, *, seconds: float, interrupts: Interrupts, pause: float) -> None:
    loop = asyncio.get_running_loop()
    waiting = asyncio.ensure_future(_until_answered(url, seconds=seconds, pause=pause))
    interrupts.subscribe(lambda: loop.call_soon_threadsafe(waiting.cancel))
    if interrupts.exit_code is not None:
        waiting.cancel()
    try:
        await asyncio.wait([waiting])
    finally:
        interrupts.subscribe(None)
    if not waiting.cancelled():
        waiting.result()


async def _until_answered(url: str, *, seconds: float, pause: float) -> None:
    last = "no answer yet"
    try:
        async with asyncio.timeout(seconds):
            async for refusal in _refusals(url, pause=pause):
                last = refusal
    except TimeoutError:
        raise BadInputError(
            f"{safe_url(url)} did not answer with a status below 500 within {seconds:g} s; seen last: {last}"
        ) from None


async def _refusals(url: str, *, pause: float) -> AsyncIterator[str]:
    """Yield why each try was no answer; ends at the first that is one."""
    tls = read_trusted_authorities() if url.lower().startswith("https:") else None
    async with open_client(url, tls) as client:
        while True:
            try:
                async with asyncio.timeout(TRY_SECONDS), client.stream("GET", url) as response:
                    if response.status_code < 500:
                        return
                    refusal = f"HTTP {response.status_code}"
            except TimeoutError:
                refusal = f"no answer within {TRY_SECONDS:g} s"
            except LIBRARY_ERRORS as problem:
                refusal = explain_failure(problem, where="GET").message
            yield refusal
            await asyncio.sleep(pause)
