"""One sample from its start to its result: waits, redraws, its deadline, and the judgement."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from agentlab_ci.agents.http_faults import HttpFaults, name_fault
from agentlab_ci.agents.interface import Agent, AgentFailedError, SessionStart, SimulationModels
from agentlab_ci.core.config import HttpFault
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Scenario, Simulation
from agentlab_ci.core.trace import Redraw, SampleError, Wait
from agentlab_ci.evaluators.interface import NotJudgedError
from agentlab_ci.evaluators.scoring import judged_status, score
from agentlab_ci.runner.interface import Draw, ModelFailedError
from agentlab_ci.runner.outage import Outages
from agentlab_ci.runner.patience import choose_pause
from agentlab_ci.runner.recording import Recording
from agentlab_ci.runner.registry import SCENARIO_RUNNERS
from agentlab_ci.runner.schedule import Job
from agentlab_ci.runner.set_up import SetUp, SetUpFailedError
from agentlab_ci.runner.waiting import Waiter
from agentlab_ci.tools.interface import ToolboxOpener, ToolBrokenError

UNREACHABLE_ERROR = SampleError(message="the agent could not be reached, so the rest of its samples did not run")

WaitListener = Callable[[Job, Wait], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleLimits:
    """What holds for every sample of a run. `timeout` is in seconds, waits and redraws included."""

    timeout: float
    error_retries: int
    pass_score: float


class SampleRun:
    """A sample under way. `run` ends it; a run that was cancelled is turned into a result by `stopped`."""

    def __init__(
        self,
        job: Job,
        agent: Agent,
        *,
        run_id: str,
        started_at: datetime,
        limits: SampleLimits,
        models: SimulationModels | None,
        outages: Outages,
        open_tools: ToolboxOpener,
        set_up: SetUp,
        on_wait: WaitListener,
    ) -> None:
        self._job = job
        self._agent = agent
        self._models = models
        self._outages = outages
        self._open_tools = open_tools
        self._set_up = set_up
        self._run_id = run_id
        self._started_at = started_at
        self._limits = limits
        self._waiter = Waiter(on_wait=partial(on_wait, job), why_busy=self._why_busy)
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._recording = Recording(self._clock)
        self._state = job.state
        self._http_faults = HttpFaults(job.row.profile, scenario_id=job.row.scenario.id, sample=job.sample)
        self._fault: HttpFault | None = None
        self._faults_told: list[str] = []
        self._redraws: list[Redraw] = []
        self.unreached = False
        """Whether the last draw ended because the agent could not be connected to."""
        self._model_failed = False

    @property
    def says_nothing(self) -> bool:
        """Whether the agent never answered, and that through no fault of its own.

        The runtime profile let the last request go wrong, or a model of the simulation was of no use.
        """
        excused = self._model_failed or (self._fault is not None and not self.unreached)
        return excused and not self._recording.agent_turns

    async def run(self) -> SampleResult:
        """Run to an end that is never an exception, except for a bug or a cancellation."""
        try:
            async with asyncio.timeout(self._limits.timeout) as deadline:
                return await self._draw_until_ended()
        except TimeoutError:
            if not deadline.expired():
                raise
            message = f"the sample did not end within {self._limits.timeout:g} s (sample_timeout_seconds)"
            return self._errored(TerminationReason.TIMEOUT_EXCEEDED, SampleError(message=message))

    def stopped(self, reason: TerminationReason) -> SampleResult:
        """Return the result of a run that was cancelled for `reason`, with what was recorded by then."""
        error = UNREACHABLE_ERROR if reason is TerminationReason.AGENT_UNREACHABLE else None
        return self._result(status_of_stop(reason), reason, error=error)

    def broken(self, bug: Exception) -> SampleResult:
        """Return the result of a run that a bug in agentlab ended."""
        message = f"a bug in agentlab: {type(bug).__name__}: {bug}"
        return self._errored(TerminationReason.TOOL_ERROR, SampleError(message=message))

    async def _draw_until_ended(self) -> SampleResult:
        while True:
            try:
                return self._judged(await self._draw())
            except NotJudgedError as problem:
                return self._errored(TerminationReason.TIMEOUT_EXCEEDED, SampleError(message=str(problem)))
            except SetUpFailedError as problem:
                error = SampleError(message=str(problem), body=problem.stderr or None)
                return self._errored(TerminationReason.TOOL_ERROR, error)
            except ToolBrokenError as problem:
                return self._errored(TerminationReason.TOOL_ERROR, SampleError(message=str(problem)))
            except ModelFailedError as failure:
                self._model_failed = True
                return self._errored(failure.reason, SampleError(message=str(failure), body=failure.body))
            except AgentFailedError as failure:
                self.unreached = failure.unreached
                if not failure.redrawable or len(self._redraws) >= self._limits.error_retries:
                    error = SampleError(
                        message=failure.message,
                        status=failure.status,
                        body=failure.body,
                        hopeless=failure.hopeless,
                    )
                    return self._errored(failure.reason, error)
                pause = choose_pause(len(self._redraws))
                self._redraws.append(Redraw(reason=failure.reason, message=failure.message, seconds=pause))
                await asyncio.sleep(pause)

    async def _draw(self) -> TerminationReason:
        before = self._recording  # what the models of a simulation cost was paid, whatever came of it
        self._recording = Recording(
            self._clock, simulator_usages=before.simulator_usages, judge_usages=before.judge_usages
        )
        for told in self._faults_told:  # of earlier draws, whose waits are told too
            self._recording.add_fault(told)
        self.unreached = False
        scenario = self._job.row.scenario
        opening = self._state.open()
        start = SessionStart(
            scenario_id=scenario.id,
            sample=self._job.sample,
            conversation_id=opening.conversation_id,
            system_prompt=scenario.system_prompt,
            history=opening.history,
            memory=self._state.memory,
            userdata=_userdata_of(scenario),
            next_fault=self._next_fault,
        )
        async with self._set_up(scenario, self._job.sample) as fixtures:
            draw = Draw(
                scenario=scenario,
                profile=self._job.row.profile,
                agent=self._agent,
                models=self._models,
                outages=self._outages,
                start=start,
                opening=opening,
                state=self._state,
                open_tools=self._open_tools,
                fixtures=fixtures,
                patiently=self._waiter,
                error_retries=self._limits.error_retries,
                recording=self._recording,
            )
            return await SCENARIO_RUNNERS[scenario.type](draw)

    def _next_fault(self) -> HttpFault | None:
        self._fault = self._http_faults.strike()
        if self._fault is not None:
            told = f"request {self._http_faults.requests}: {name_fault(self._fault)}"
            self._faults_told.append(told)
            self._recording.add_fault(told)
        return self._fault

    def _why_busy(self) -> str:
        return "the agent is busy" if self._fault is None else f"fault: {name_fault(self._fault)}"

    def _judged(self, reason: TerminationReason) -> SampleResult:
        evaluations = tuple(self._recording.evaluations)
        status = SampleStatus.FAILED
        if reason is TerminationReason.COMPLETED:
            status = judged_status(evaluations, pass_score=self._limits.pass_score)
        return self._result(status, reason, points=score(evaluations))

    def _errored(self, reason: TerminationReason, error: SampleError) -> SampleResult:
        return self._result(SampleStatus.ERROR, reason, error=error)

    def _result(
        self,
        status: SampleStatus,
        reason: TerminationReason,
        *,
        points: int | None = None,
        error: SampleError | None = None,
    ) -> SampleResult:
        recording = self._recording
        return SampleResult(
            scenario_id=self._job.row.scenario.id,
            sample=self._job.sample,
            of=self._job.row.facts.samples_wanted,
            run_id=self._run_id,
            status=status,
            termination_reason=reason,
            score=points,
            started_at=self._started_at.isoformat(timespec="milliseconds"),
            duration_ms=round((self._clock() - self._began) * 1000, 1),
            waits=tuple(self._waiter.waits),
            redraws=tuple(self._redraws),
            usage=recording.usage,
            simulator_usage=recording.simulator_usage,
            judge_usage=recording.judge_usage,
            error=error,
            final_output=recording.final_output,
            turns=tuple(recording.turns),
            tool_calls=tuple(recording.tool_calls),
            trace=tuple(recording.trace),
            evaluations=tuple(recording.evaluations),
        )


def _userdata_of(scenario: Scenario) -> Mapping[str, Any]:
    return scenario.body.userdata if isinstance(scenario.body, Simulation) else {}


def never_run(job: Job, reason: TerminationReason) -> SampleResult:
    """Return the result of a sample that did not start."""
    return SampleResult(
        scenario_id=job.row.scenario.id,
        sample=job.sample,
        of=job.row.facts.samples_wanted,
        run_id=None,
        status=status_of_stop(reason),
        termination_reason=reason,
        error=UNREACHABLE_ERROR if reason is TerminationReason.AGENT_UNREACHABLE else None,
    )


def status_of_stop(reason: TerminationReason) -> SampleStatus:
    """Say what a sample that was stopped for `reason` counts as."""
    if reason is TerminationReason.AGENT_UNREACHABLE:
        return SampleStatus.ERROR
    return SampleStatus.CANCELLED
