"""What the requests alone cost: `python floors.py one-client|per-worker|aiohttp URL REQUESTS IN_FLIGHT`.

Each loop imports its own library only, because a process is measured from its first to its last moment.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator

BODY = {"message": "Hello, where is my refund for order A-1024?", "conversation_id": "c"}


async def httpx_one_client(url: str, jobs: Iterator[int], slots: int) -> None:
    """All workers share one client."""
    import httpx  # noqa: PLC0415

    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=slots)) as client:

        async def work() -> None:
            for _ in jobs:
                (await client.post(url, json=BODY)).json()["message"]

        await _at_once(slots, work)


async def httpx_per_worker(url: str, jobs: Iterator[int], slots: int) -> None:
    """Each worker has its client; they share one TLS context. What agentlab does."""
    import ssl  # noqa: PLC0415

    import httpx  # noqa: PLC0415

    context = ssl.create_default_context()

    async def work() -> None:
        async with httpx.AsyncClient(verify=context) as client:
            for _ in jobs:
                (await client.post(url, json=BODY)).json()["message"]

    await _at_once(slots, work)


async def aiohttp_loop(url: str, jobs: Iterator[int], slots: int) -> None:
    """The fastest client in common use."""
    import aiohttp  # noqa: PLC0415

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=slots)) as session:

        async def work() -> None:
            for _ in jobs:
                async with session.post(url, json=BODY) as response:
                    (await response.json())["message"]

        await _at_once(slots, work)


async def _at_once(slots: int, work: Callable[[], Awaitable[None]]) -> None:
    await asyncio.gather(*(work() for _ in range(slots)))


LOOPS = {"one-client": httpx_one_client, "per-worker": httpx_per_worker, "aiohttp": aiohttp_loop}

if __name__ == "__main__":
    name, address, requests, in_flight = sys.argv[1:]
    asyncio.run(LOOPS[name](address, iter(range(int(requests))), int(in_flight)))
