"""What becomes of samples whose requests go wrong as a runtime profile says, in virtual time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply, SessionStart
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.reports.advice import LONG_WAITS, advise
from agentlab_ci.runner.engine import execute
from agentlab_ci.runner.ledger import Ledger
from canned import AGENT
from factories import make_facts, make_report
from scripted_agent import Performance, Stage, make_config, make_scenario, plan_of
from virtual_time import run_virtually


@dataclass(frozen=True)
class Obedient:
    """An agent whose requests suffer what they have to, and otherwise go well.

    From sample `fails_from` on, what no fault keeps from it ends in `failure`, if there is one.
    """

    start: SessionStart | None = None
    failure: AgentFailedError | None = None
    fails_from: int = 1

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["Obedient"]:
        yield replace(self, start=start)

    async def send(self, message: str) -> Reply:
        assert self.start is not None
        fault = self.start.next_fault()
        if fault is None or fault.mode == "delay":
            if self.failure is not None and self.start.sample >= self.fails_from:
                raise self.failure
            return Reply(text="good", latency_ms=1)
        if fault.mode == "status":
            raise AgentBusyError(status=fault.status or 0, retry_after=None, body="")
        raise AgentFailedError("broke", reason=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True)

    async def aclose(self) -> None:
        """Do nothing."""


def samples(
    *faults: dict[str, Any],
    steps: int = 2,
    count: int = 1,
    failure: AgentFailedError | None = None,
    fails_from: int = 1,
    concurrency: int = 8,
    **profile: Any,
) -> tuple[SampleResult, ...]:
    config = make_config(runtime_profiles=[{"name": "p", "http_faults": faults, **profile}])
    plan = plan_of(
        make_scenario(steps=steps, samples=count, runtime_profile="p"), config=config, concurrency=concurrency
    )
    show = Performance(plan, Stage(script=lambda *_: pytest.fail("another agent talks")))
    ledger = Ledger(plan)
    agent = Obedient(failure=failure, fails_from=fails_from)
    run_virtually(execute(plan, ledger, replace(show.world, open_agent=lambda _: agent)))
    return ledger.judge_all()[0].samples


def told(sample: SampleResult) -> list[str | None]:
    return [event.text for event in sample.trace if event.kind == "fault"]


def test_requests_are_numbered_over_waits_steps_and_fresh_starts() -> None:
    busy, broke = {"mode": "status", "status": 503}, {"mode": "drop"}
    (sample,) = samples(busy | {"on_request": 1}, broke | {"on_request": 3}, busy | {"on_request": 5})
    # 1 busy, 2 answered, 3 broke; again from the first step: 4 answered, 5 busy, 6 answered
    assert (sample.status, len(sample.waits), len(sample.redraws)) == ("passed", 2, 1)
    assert told(sample) == ["request 1: status 503", "request 3: drop", "request 5: status 503"]
    faults = [event.at_ms for event in sample.trace if event.kind == "fault"]
    assert faults[:2] == [0, 0], "those of earlier draws come before all that this one did"
    assert [event.kind for event in sample.trace][:2] == ["fault", "fault"]


def test_each_sample_counts_its_own_requests() -> None:
    faults = [told(sample) for sample in samples({"mode": "status", "status": 429, "on_request": 2}, count=3)]
    assert faults == [["request 2: status 429"]] * 3


def test_an_upstream_that_stays_busy_on_purpose_is_not_the_agents_fault() -> None:
    (sample,) = samples({"mode": "status", "status": 503})
    assert sample.error is not None
    assert sample.error.message.startswith("fault: status 503: HTTP 503 after ")


UNREACHED = AgentFailedError("refused", reason=TerminationReason.HTTP_CONNECTION_FAILED, unreached=True)
CRASH = AgentFailedError("crashed", reason=TerminationReason.AGENT_ERROR)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("failure", [UNREACHED, CRASH])
def test_a_sample_that_a_profile_struck_is_no_proof_that_its_agent_works(
    failure: AgentFailedError, place: int
) -> None:
    dropped = {"name": "p", "http_faults": [{"mode": "drop"}]}
    profiles = ["p" if n == place else None for n in range(10)]
    scenarios = [make_scenario(f"a.s{n}", runtime_profile=profile) for n, profile in enumerate(profiles)]
    plan = plan_of(*scenarios, config=make_config(runtime_profiles=[dropped]), concurrency=1)
    show = Performance(plan, Stage(script=lambda *_: pytest.fail("another agent talks")))
    ledger = Ledger(plan)
    run_virtually(execute(plan, ledger, replace(show.world, open_agent=lambda _: Obedient(failure=failure))))
    ended = [row.samples[0] for row in ledger.judge_all()]
    assert {sample.agent_given_up for n, sample in enumerate(ended) if n != place} == {True}
    assert ended[place].agent_given_up == (failure is UNREACHED), "of an unreachable agent, all samples are"
    assert sum(sample.run_id is not None for sample in ended) == 4
    assert len(show.witness.complete) == 10


@pytest.mark.parametrize("failure", [UNREACHED, CRASH])
def test_what_comes_after_a_fault_is_the_agents_own(failure: AgentFailedError) -> None:
    fault = {"mode": "status", "status": 503, "on_request": 1}
    ended = samples(fault, count=9, failure=failure, concurrency=1)
    assert sum(sample.run_id is not None for sample in ended) == 3
    assert ended[0].waits


def test_no_delay_hides_that_nobody_can_be_reached() -> None:
    ended = samples({"mode": "delay", "delay_ms": 1}, count=9, failure=UNREACHED, concurrency=1)
    assert sum(sample.run_id is not None for sample in ended) == 3


def test_an_answer_before_the_fault_is_one() -> None:
    at_second_step = [{"mode": "drop", "on_request": number} for number in (2, 4)]
    ended = samples(*at_second_step, count=9, failure=CRASH, fails_from=2, concurrency=1)
    assert ended[0].status == "error"
    assert not any(sample.given_up for sample in ended)


def test_a_run_in_which_every_request_is_struck_still_ends_with_every_scenario() -> None:
    ended = samples({"mode": "drop"}, count=4)
    assert {sample.termination_reason for sample in ended} == {TerminationReason.HTTP_CONNECTION_FAILED}


def test_a_fresh_start_blames_no_agent_for_the_waits_that_a_profile_made() -> None:
    busy = [{"mode": "status", "status": 429, "on_request": number} for number in range(1, 7)]
    ended = samples(*busy, {"mode": "drop", "on_request": 7}, count=4)
    assert sum(wait.seconds for sample in ended for wait in sample.waits) > LONG_WAITS
    assert {(sample.status, len(sample.redraws)) for sample in ended} == {("passed", 1)}
    report = make_report(judge_scenario(make_facts(agent=AGENT, samples_wanted=4), ended))
    assert advise(report, str) == ()
