"""Agents and tools that follow a script, for tests of the task runner in virtual time."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentTurn, SessionStart
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.scenario import EvaluatorSpec, Mode, Task
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief, ToolSpec
from agentlab_ci.core.trace import Usage
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.runner.outage import Outages
from agentlab_ci.runner.sample import SampleLimits, SampleRun
from agentlab_ci.runner.schedule import Schedule
from agentlab_ci.tools.interface import ToolBrokenError, ToolContext
from scripted_agent import make_config, make_scenario, nothing_to_set_up, plan_of
from virtual_time import run_virtually

SECOND = 1.0
"""What each turn takes, and each call of `slow`."""


def call(name: str, message: str | None = None, usage: Usage | None = None, **value: Any) -> AgentTurn:
    """A turn that asks for one call."""
    request = CallRequest(name=name, input=value)
    return AgentTurn(calls=(request,), message=message, latency_ms=1000, usage=usage or Usage())


def final(text: str, usage: Usage | None = None, log: tuple[str, ...] = ()) -> AgentTurn:
    """The turn that ends the work."""
    return AgentTurn(final=text, latency_ms=1000, usage=usage or Usage(), log=log)


def spec(kind: str, **config: Any) -> EvaluatorSpec:
    """A hard gate at the end."""
    return EvaluatorSpec(
        id=kind, type=kind, mode=Mode.HARD_GATE, config=EVALUATORS[kind].config.model_validate(config)
    )


@dataclass(slots=True)
class ScriptedWorker:
    """Takes its turns from a list, whatever it is told; remembers that."""

    turns: Sequence[AgentTurn | AgentFailedError | AgentBusyError]
    told: list[tuple[CallOutcome, ...]] = field(default_factory=list)
    brief: TaskBrief | None = None
    starts: list[SessionStart] = field(default_factory=list)
    left: int = 0

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["ScriptedWorker"]:
        self.starts.append(start)
        self.brief = brief
        try:
            yield self
        finally:
            self.left += 1

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        await asyncio.sleep(SECOND)
        turn = self.turns[len(self.told)]
        self.told.append(tuple(outcomes))
        if isinstance(turn, Exception):
            raise turn
        return turn

    async def aclose(self) -> None:
        """Do nothing."""


class ScriptedToolbox:
    """`echo` gives its input back, `refuse` says no, `slow` takes a second for ever, `broken` cannot be asked."""

    names = ("echo", "refuse", "slow", "broken")

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name=name, description="", input_schema={"type": "object"}) for name in self.names)

    async def call(self, name: str, value: Mapping[str, Any]) -> CallOutcome:
        match name:
            case "refuse":
                return CallOutcome(name=name, error="no such order", duration_ms=1)
            case "broken":
                raise ToolBrokenError("the tool broken cannot be started")
            case _ if name not in self.names:
                return CallOutcome(name=name, error=f"there is no tool {name}")
            case "slow":
                await asyncio.sleep(3600)
        return CallOutcome(name=name, output=dict(value), duration_ms=2)


@asynccontextmanager
async def open_scripted_tools(names: tuple[str, ...], context: ToolContext) -> AsyncIterator[ScriptedToolbox]:
    """Open them for a sample."""
    assert set(names) <= set(ScriptedToolbox.names)
    assert context.scenario_id == "a.one"
    yield ScriptedToolbox()


def work(
    worker: ScriptedWorker,
    *evaluators: EvaluatorSpec,
    retries: int = 1,
    profile: Mapping[str, Any] | None = None,
    **task: Any,
) -> SampleResult:
    """Run one sample of a task with these turns, under this runtime profile, and return its result."""
    fields: dict[str, Any] = {"instructions": "Do it.", "tools_allowed": ScriptedToolbox.names, "max_steps": 8}
    scenario = make_scenario(
        body=Task(**fields | task),
        evaluators=evaluators or (spec("step_count_max", max=99),),
        runtime_profile="bad-day" if profile else None,
    )
    plan = plan_of(
        scenario, config=make_config(runtime_profiles=[{"name": "bad-day", **profile}] if profile else [])
    )

    job = Schedule(plan).next()
    assert job is not None

    async def run() -> SampleResult:
        sample = SampleRun(
            job,
            worker,
            run_id="run_1",
            started_at=datetime(2026, 4, 7, tzinfo=UTC),
            limits=SampleLimits(timeout=600, error_retries=retries, pass_score=80),
            models=None,
            outages=Outages(),
            open_tools=open_scripted_tools,
            set_up=nothing_to_set_up,
            on_wait=lambda job, wait: None,
        )
        return await sample.run()

    return run_virtually(run())[0]
