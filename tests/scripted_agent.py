"""Agents that follow a script, and plans to run on them: for tests of the engine in virtual time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply, SessionStart, SimulationModels
from agentlab_ci.core.config import AgentConfig, Config, MockAgent, ScriptedReply
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import SampleResult, ScenarioFacts, ScenarioResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import (
    Conversation,
    EvaluatorSpec,
    Mode,
    Place,
    SamplingChoice,
    Scenario,
    Step,
)
from agentlab_ci.core.trace import Usage, Wait
from agentlab_ci.evaluators.response import Keywords
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.runner.engine import EngineWorld, execute
from agentlab_ci.runner.ledger import Ledger
from agentlab_ci.runner.plan import Plan, make_plan
from agentlab_ci.settings import ReportSettings, RunSettings
from agentlab_ci.tools.interface import Toolbox, ToolContext

Script = Callable[[str, int, int], "Act"]
"""What a reply does, by scenario id, sample and how often that sample has been asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What the agent does after `seconds`: says `text`, fails, is busy, or has a bug."""

    text: str = "good"
    seconds: float = 1.0
    fails: TerminationReason | None = None
    redrawable: bool = False
    unreached: bool = False
    status: int | None = None
    hopeless: bool = False
    busy_for: float | None = None
    raises: Exception | None = None
    cost_usd: float | None = None


GOOD = Act()
BAD = Act(text="bad")
REFUSES = Act(fails=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True, unreached=True)


@dataclass(slots=True)
class Stage:
    """What happened: requests in order of their start, and how many were under way at once."""

    script: Script
    asked: list[tuple[str, int]] = field(default_factory=list)
    conversation_ids: list[str] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    times: Counter[tuple[str, int]] = field(default_factory=Counter)
    opened: int = 0
    closed: int = 0
    userdata: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was told of a scenario's user, by its id."""


class ScriptedAgent:
    """An agent for one slot."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        stage.opened += 1

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["ScriptedSession"]:
        self._stage.conversation_ids.append(start.conversation_id)
        self._stage.userdata[start.scenario_id] = start.userdata
        yield ScriptedSession(self._stage, start)

    async def aclose(self) -> None:
        self._stage.closed += 1


class ScriptedSession:
    def __init__(self, stage: Stage, start: SessionStart) -> None:
        self._stage = stage
        self._key = (start.scenario_id, start.sample)

    async def send(self, message: str) -> Reply:
        stage = self._stage
        stage.asked.append(self._key)
        stage.times[self._key] += 1
        act = stage.script(*self._key, stage.times[self._key])
        stage.in_flight += 1
        stage.most_in_flight = max(stage.most_in_flight, stage.in_flight)
        try:
            await asyncio.sleep(act.seconds)
        finally:
            stage.in_flight -= 1
        if act.raises is not None:
            raise act.raises
        if act.fails is not None:
            raise AgentFailedError(
                "scripted failure",
                reason=act.fails,
                status=act.status,
                redrawable=act.redrawable,
                unreached=act.unreached,
                hopeless=act.hopeless,
            )
        if act.busy_for is not None:
            raise AgentBusyError(status=429, retry_after=act.busy_for, body="slow down")
        return Reply(text=act.text, latency_ms=act.seconds * 1000, usage=Usage(cost_usd=act.cost_usd))


@dataclass(slots=True)
class Witness:
    """A store and an observer that remember all they are given; the store takes a while, if asked to."""

    kept: list[SampleResult] = field(default_factory=list)
    started: list[tuple[str, int, str]] = field(default_factory=list)
    ended: list[SampleResult] = field(default_factory=list)
    complete: list[ScenarioResult] = field(default_factory=list)
    waits: list[tuple[str, int, float]] = field(default_factory=list)
    seconds_to_store: float = 0.0

    def keep(self, facts: ScenarioFacts, sample: SampleResult) -> asyncio.Future[None]:
        self.kept.append(sample)
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(self.seconds_to_store, stored.set_result, None)
        return stored

    def sample_started(self, facts: ScenarioFacts, sample: int, run_id: str) -> None:
        self.started.append((facts.scenario_id, sample, run_id))

    def sample_ended(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        self.ended.append(sample)

    def scenario_complete(self, result: ScenarioResult) -> None:
        self.complete.append(result)

    def waiting(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        self.waits.append((facts.scenario_id, sample, wait.seconds))


GOOD_IS_SAID = EvaluatorSpec(
    id="good", type="response_contains", mode=Mode.HARD_GATE, config=Keywords(keywords=("good",))
)


def make_scenario(
    scenario_id: str = "a.one",
    *,
    steps: int = 1,
    samples: int | None = None,
    rate: str | None = None,
    **more: Any,
) -> Scenario:
    """Return a conversation whose every reply must contain "good"."""
    fields: dict[str, Any] = {
        "id": scenario_id,
        "name": scenario_id,
        "suite": scenario_id.split(".", maxsplit=1)[0],
        "sampling": SamplingChoice(samples=samples, pass_rate=PassRate(rate) if rate else None),
        "body": Conversation(
            steps=tuple(Step(message=f"step {n}", evaluators=(GOOD_IS_SAID,)) for n in range(1, steps + 1))
        ),
        "place": Place(path="scenarios/a.yaml", line=1),
    }
    return Scenario(**fields | more)


def make_mock(name: str = "mock", **more: Any) -> MockAgent:
    """Return the config of an agent that can hold conversations."""
    return MockAgent.model_validate(
        {"name": name, "provider": Provider.MOCK, "replies": (ScriptedReply(reply="good"),)} | more
    )


def make_config(*agents: AgentConfig, **more: Any) -> Config:
    """Return a config with these agents, or with one mock agent."""
    return Config.model_validate({"agents": agents or (make_mock(),)} | more)


def plan_of(*scenarios: Scenario, config: Config | None = None, rate: str | None = None, **settings: Any) -> Plan:
    """Plan the scenarios; `settings` are those of a run."""
    report = ReportSettings(pass_rate=PassRate(rate) if rate else None)
    return make_plan(
        scenarios or (make_scenario(),),
        config or make_config(),
        RunSettings(report=report, **settings),
    )


@asynccontextmanager
async def nothing_to_set_up(scenario: Scenario, sample: int) -> AsyncIterator[None]:
    """Stand for scenarios without a script."""
    assert scenario.setup_script is None
    assert sample
    yield


def _no_tools(names: tuple[str, ...], context: ToolContext) -> AbstractAsyncContextManager[Toolbox]:
    raise AssertionError(f"a conversation has no tools: {names}, {context}")


def _no_models() -> SimulationModels:
    raise AssertionError("only a simulation has models")


@dataclass(slots=True)
class Performance:
    """A plan being run on a scripted agent."""

    plan: Plan
    stage: Stage
    witness: Witness = field(default_factory=Witness)
    interrupts: Interrupts = field(default_factory=Interrupts)
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    open_models: Callable[[], SimulationModels] = _no_models

    @property
    def world(self) -> EngineWorld:
        return EngineWorld(
            open_agent=lambda _config: ScriptedAgent(self.stage),
            open_models=self.open_models,
            open_tools=_no_tools,
            set_up=nothing_to_set_up,
            now=lambda: datetime(2026, 4, 7, tzinfo=UTC),
            new_run_id=lambda _now: f"run_{next(self.ids)}",
            redact=lambda sample: sample,
            keep=self.witness.keep,
            observer=self.witness,
            interrupts=self.interrupts,
        )

    async def run(self, *, deadline: float | None = None) -> tuple[ScenarioResult, ...]:
        ledger = Ledger(self.plan)
        await execute(self.plan, ledger, self.world, deadline=deadline)
        return ledger.judge_all()


def letters(row: ScenarioResult) -> str:
    """Write the samples' statuses as the first letters: `ppf`."""
    return "".join(sample.status[0] for sample in row.samples)
