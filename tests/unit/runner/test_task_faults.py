"""Tools that go wrong as a runtime profile says, in tasks in virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, SessionStart
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Task
from agentlab_ci.core.tool import CallOutcome, TaskBrief
from agentlab_ci.runner.engine import execute
from agentlab_ci.runner.ledger import Ledger
from agentlab_ci.tools.interface import ToolContext
from scripted_agent import Performance, Stage, make_config, make_scenario, plan_of
from scripted_task import ScriptedToolbox, ScriptedWorker, call, final, spec, work
from virtual_time import run_virtually


def faulty(**fault: Any) -> dict[str, Any]:
    return {"tool_faults": [{"tool": "echo"} | fault]}


def told(worker: ScriptedWorker) -> list[tuple[object, str | None, str | None]]:
    return [(o.output, o.error, o.fault) for outcomes in worker.told for o in outcomes]


@pytest.mark.parametrize(
    ("fault", "first"),
    [
        ({"mode": "timeout"}, (None, "no result within 5000 ms", "timeout")),
        ({"mode": "error", "error_message": "no stock"}, (None, "no stock", "error")),
        ({"mode": "malformed_output"}, ("MALFORMED_OUTPUT", None, "malformed_output")),
        ({"mode": "partial_output", "partial_output": {"n": 0}}, ({"n": 0}, None, "partial_output")),
    ],
)
def test_an_agent_is_told_and_may_try_again(fault: dict[str, Any], first: tuple[Any, Any, str]) -> None:
    worker = ScriptedWorker([call("echo", n=1), call("echo", n=1), final("done")])
    sample = work(worker, profile=faulty(on_call=1, **fault))
    assert sample.status == "passed"
    assert told(worker) == [first, ({"n": 1}, None, None)]
    assert [(c.output, c.error, c.fault) for c in sample.tool_calls] == told(worker)


def test_on_call_2_hits_the_second_call_of_that_tool_alone() -> None:
    turns = [call("echo", n=1), call("refuse"), call("echo", n=2), call("echo", n=3), final("done")]
    worker = ScriptedWorker(turns)
    work(worker, profile=faulty(mode="error", on_call=2))
    assert [fault for _, _, fault in told(worker)] == [None, None, "error", None]


def test_calls_that_are_not_made_do_not_count() -> None:
    worker = ScriptedWorker([call("echo2"), call("echo", n=1), final("done")])
    work(
        worker, tools_allowed=("echo",), profile={"tool_faults": [{"tool": "echo", "mode": "error", "on_call": 1}]}
    )
    assert [fault for _, _, fault in told(worker)] == [None, "error"]
    forbidden = work(ScriptedWorker([call("echo")]), tools_allowed=("refuse",), tools_forbidden=("echo",),
                     profile=faulty(mode="timeout"))  # fmt: skip
    assert (forbidden.termination_reason, forbidden.tool_calls[0].fault) == ("forbidden_tool_used", None)


def test_a_tool_that_the_scenario_does_not_allow_suffers_no_fault() -> None:
    worker = ScriptedWorker([call("weather"), final("done")])
    faults = [{"tool": "weather", "mode": "partial_output", "partial_output": {"sun": True}}]
    sample = work(worker, profile={"tool_faults": faults})
    assert told(worker) == [(None, "there is no tool weather", None)]
    assert [(c.output, c.fault) for c in sample.tool_calls] == [(None, None)]


def test_a_timeout_is_waited_for_and_counts_for_the_scenarios_own_limit() -> None:
    turns = [call("echo"), final("done")]
    slow = work(ScriptedWorker(turns), profile=faulty(mode="timeout", timeout_ms=7000))
    assert (slow.status, slow.duration_ms, slow.tool_calls[0].duration_ms) == ("passed", 9000, 7000)
    late = work(ScriptedWorker(turns), profile=faulty(mode="timeout", timeout_ms=7000), timeout_seconds=5)
    assert (late.status, late.termination_reason, late.duration_ms) == ("failed", "timeout_exceeded", 5000)
    (cut,) = late.tool_calls
    assert (cut.fault, cut.error) == ("timeout", "cut short: the sample ended before the call did")


def test_a_timeout_ends_with_the_sample() -> None:
    sample = work(ScriptedWorker([call("echo")]), profile=faulty(mode="timeout", timeout_ms=86_400_000))
    assert (sample.status, sample.termination_reason, sample.duration_ms) == ("error", "timeout_exceeded", 600_000)
    assert sample.tool_calls[0].fault == "timeout"


def test_a_fresh_start_meets_the_same_faults() -> None:
    gave_up = AgentFailedError("gave up", reason=TerminationReason.AGENT_ERROR, redrawable=True)
    worker = ScriptedWorker([call("echo"), gave_up, call("echo"), final("done")])
    sample = work(worker, profile=faulty(mode="error", on_call=1))
    assert len(sample.redraws) == 1
    assert [c.fault for c in sample.tool_calls] == ["error"]
    assert [fault for _, _, fault in told(worker)] == ["error", "error"]


def test_a_broken_tool_that_is_not_called_breaks_nothing() -> None:
    sample = work(
        ScriptedWorker([call("broken"), final("done")]),
        profile={"tool_faults": [{"tool": "broken", "mode": "error"}]},
    )
    assert sample.status == "passed"


class Persistent:
    """A worker of many samples: calls `echo` five times, with these pauses."""

    def __init__(self, pause: Callable[[], float]) -> None:
        self._pause = pause

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["PersistentTask"]:
        yield PersistentTask(self._pause)

    async def aclose(self) -> None:
        """Do nothing."""


class PersistentTask:
    def __init__(self, pause: Callable[[], float]) -> None:
        self._pause = pause
        self._turns = iter([*(call("echo", n=n) for n in range(5)), final("done")])

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        await asyncio.sleep(self._pause())
        return next(self._turns)


@asynccontextmanager
async def open_tools(names: tuple[str, ...], context: ToolContext) -> AsyncIterator[ScriptedToolbox]:
    yield ScriptedToolbox()


def faults_of_run(pause: Callable[[], float], *, concurrency: int) -> dict[tuple[str, int], list[str | None]]:
    """Run three tasks with four samples each and return the faults of every call."""
    faults = [
        {"tool": "echo", "mode": "timeout", "timeout_ms": 300, "probability": 0.3},
        {"tool": "echo", "mode": "error", "probability": 0.4},
    ]
    config = make_config(runtime_profiles=[{"name": "bad-day", "seed": 3, "tool_faults": faults}])
    body = Task(instructions="Do it.", tools_allowed=("echo",))
    scenarios = [
        make_scenario(
            f"a.s{n}",
            samples=4,
            body=body,
            evaluators=(spec("step_count_max", max=9),),
            runtime_profile="bad-day",
        )
        for n in range(3)
    ]
    plan = plan_of(*scenarios, config=config, concurrency=concurrency)
    show = Performance(plan, Stage(script=lambda *_: pytest.fail("a task says nothing")))
    world = replace(show.world, open_agent=lambda _: Persistent(pause), open_tools=open_tools)
    run_virtually(execute(plan, Ledger(plan), world))
    return {(s.scenario_id, s.sample): _faults(s) for s in show.witness.ended}


def _faults(sample: SampleResult) -> list[str | None]:
    return [call.fault for call in sample.tool_calls]


ONE_BY_ONE = faults_of_run(lambda: 1.0, concurrency=1)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(random=st.randoms(use_true_random=False))
def test_sixteen_at_once_meet_the_faults_that_one_by_one_meets(random: Random) -> None:
    assert faults_of_run(random.random, concurrency=16) == ONE_BY_ONE


def test_the_faults_of_that_run_differ_between_samples() -> None:
    assert len(ONE_BY_ONE) == 12
    assert len({tuple(faults) for faults in ONE_BY_ONE.values()}) > 6
    assert {fault for faults in ONE_BY_ONE.values() for fault in faults} == {None, "timeout", "error"}
