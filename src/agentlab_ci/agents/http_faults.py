"""Requests that go wrong on purpose, as a runtime profile says: the agent behind them is not to blame."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from agentlab_ci.core.chance import happens
from agentlab_ci.core.config import HttpFault, RuntimeProfile

_NOT_SENT = "by the runtime profile; the request was not sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What came back for a request, the body as it was encoded."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpFaults:
    """The faults of one sample, over all of its draws. They are the same in any order of execution."""

    def __init__(self, profile: RuntimeProfile | None, *, scenario_id: str, sample: int) -> None:
        self._profile = profile
        self._scenario_id = scenario_id
        self._sample = sample
        self.requests = 0
        """How many there were."""

    def strike(self) -> HttpFault | None:
        """Count a request and return the fault that it suffers, the first that applies."""
        self.requests += 1
        if self._profile is None:
            return None
        for index, fault in enumerate(self._profile.http_faults):
            if fault.on_request not in (None, self.requests):
                continue
            key = (self._profile.seed, self._scenario_id, self._sample, "http", index, self.requests)
            if happens(fault.probability, *key):
                return fault
        return None


def name_fault(fault: HttpFault) -> str:
    """Return what people read, such as `status 503`."""
    match fault.mode:
        case "status":
            return f"status {fault.status}"
        case "delay":
            return f"delay {fault.delay_ms} ms"
        case mode:
            return mode


async def receive(send: Callable[[], Awaitable[Received]], fault: HttpFault | None) -> Received:
    """Return what `send` brings, or what the fault makes of it.

    With `status` and `drop` nothing is sent, so that nothing has happened when the request is made again. Raises
    what `send` raises, and ConnectionResetError for a connection that is dropped.
    """
    if fault is None:
        return await send()
    match fault.mode:
        case "status":
            return Received(
                status=fault.status or 0, headers={}, body=f"fault: {name_fault(fault)}, {_NOT_SENT}".encode()
            )
        case "drop":
            raise ConnectionResetError(_NOT_SENT)
        case "delay":
            await asyncio.sleep(fault.delay_ms / 1000)
            return await send()
        case "truncate":
            received = await send()
            return replace(received, body=received.body[: len(received.body) // 2])
