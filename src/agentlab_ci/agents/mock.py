"""An agent that needs no network: scripted replies, playbooks for tasks, and samples that go wrong on purpose."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from agentlab_ci.agents.interface import AgentTurn, AgentWorld, Reply, SessionStart
from agentlab_ci.core.chance import happens
from agentlab_ci.core.config import MockAgent
from agentlab_ci.core.tool import CallOutcome, TaskBrief

NO_REPLY = "I have no scripted reply for that."
"""What it says to a message that none of its `replies` is for."""
WRONG_REPLY = "Sorry, I cannot help with that."
"""What a sample that goes wrong on purpose says to every message, and of a task without a look at it."""


class MockSession:
    """One sample's talk: right or wrong throughout."""

    def __init__(self, config: MockAgent, *, wrong: bool) -> None:
        self._config = config
        self._wrong = wrong

    async def send(self, message: str) -> Reply:
        """Answer after `latency_ms`; never fails."""
        started = time.perf_counter()
        await asyncio.sleep(self._config.latency_ms / 1000)
        text = WRONG_REPLY if self._wrong else find_reply(self._config, message)
        return Reply(text=text, latency_ms=_measure_ms(started))


class MockTask:
    """One sample's work: a playbook, one call a turn; or wrong at once."""

    def __init__(self, config: MockAgent, brief: TaskBrief, *, wrong: bool) -> None:
        self._delay = config.latency_ms / 1000
        self._wrong = wrong
        from agentlab_ci.agents.playbooks.choice import work  # noqa: PLC0415 - talks have no use for playbooks

        self._play = work(brief)

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        """Take the next turn after `latency_ms`; never fails."""
        started = time.perf_counter()
        await asyncio.sleep(self._delay)
        if self._wrong:
            return AgentTurn(final=WRONG_REPLY, latency_ms=_measure_ms(started))
        try:
            action = self._play.send(outcomes[0]) if outcomes else next(self._play)
        except StopIteration as end:
            return AgentTurn(final=end.value, latency_ms=_measure_ms(started))
        return AgentTurn(calls=(action.request,), message=action.message, latency_ms=_measure_ms(started))


class MockConnection:
    """A slot's mock agent; holds nothing."""

    def __init__(self, config: MockAgent) -> None:
        self._config = config

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator[MockSession]:
        """Start a sample's session; every draw of the same sample behaves alike."""
        wrong = goes_wrong(self._config, scenario_id=start.scenario_id, sample=start.sample)
        yield MockSession(self._config, wrong=wrong)

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator[MockTask]:
        """Start a sample's work, by playbook whether there are `replies` or not: those answer messages."""
        wrong = goes_wrong(self._config, scenario_id=start.scenario_id, sample=start.sample)
        yield MockTask(self._config, brief, wrong=wrong)

    async def aclose(self) -> None:
        """Do nothing."""


def open_mock_agent(config: MockAgent, world: AgentWorld) -> MockConnection:  # noqa: ARG001 - the family's signature
    """Open the mock agent for one slot."""
    return MockConnection(config)


def find_reply(config: MockAgent, message: str) -> str:
    """Return the first scripted reply whose `contains` is in the message, in any case."""
    folded = message.casefold()
    return next((r.reply for r in config.replies if r.contains.casefold() in folded), NO_REPLY)


def goes_wrong(config: MockAgent, *, scenario_id: str, sample: int) -> bool:
    """Tell whether a sample answers wrongly: named in `fail_samples`, or drawn by `flake_rate`.

    The draw hangs on seed, scenario and sample alone, so it is the same in any order and any process.
    """
    return sample in config.fail_samples or happens(config.flake_rate, config.seed, scenario_id, sample)


def _measure_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
