"""Asking whoever may be busy: a refused request is repeated after a wait, and the waits are remembered."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Wait
from agentlab_ci.runner.interface import AnswerT
from agentlab_ci.runner.patience import choose_wait

_DAY = 86_400.0
"""Seconds."""


def _forget(_wait: Wait) -> None:
    pass


def _blame_agent() -> str:
    return "the agent is busy"


@dataclass(slots=True, kw_only=True)
class Waiter:
    """The patience of one sample, a `Patiently`: what it has waited is gone, whomever it waited for.

    `on_wait` is told of each wait before it begins; `why_busy` says why the agent was, when it stays so.
    """

    on_wait: Callable[[Wait], None] = _forget
    why_busy: Callable[[], str] = _blame_agent
    waits: list[Wait] = field(default_factory=list)

    async def __call__(self, ask: Callable[[], Awaitable[AnswerT]], *, model: str | None = None) -> AnswerT:
        """Return what `ask` brings; raises the last refusal of a busy one as AgentFailedError."""
        attempt = 0
        while True:
            try:
                return await ask()
            except AgentBusyError as busy:
                attempt += 1
                waited = sum(wait.seconds for wait in self.waits)
                seconds = choose_wait(retry_after=busy.retry_after, attempt=attempt, waited=waited)
                if seconds is None:
                    why = self.why_busy() if model is None else "it is busy"
                    raise _give_up(busy, waited, why) from busy
                wait = Wait(seconds=seconds, status=busy.status, attempt=attempt, model=model)
                self.waits.append(wait)
                self.on_wait(wait)
                await asyncio.sleep(seconds)


def _give_up(busy: AgentBusyError, waited: float, why: str) -> AgentFailedError:
    wish = "" if busy.retry_after is None else f", and asks to wait {_name_wish(busy.retry_after)}"
    return AgentFailedError(
        f"{why}: HTTP {busy.status} after {waited:g} s of waiting{wish}",
        reason=TerminationReason.HTTP_ERROR,
        status=busy.status,
        body=busy.body,
    )


def _name_wish(seconds: float) -> str:
    return f"{seconds:g} s" if seconds <= _DAY else "more than a day"
