"""Runs a plan: the only place with concurrency. Every wait has an end, and every sample gets a result."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from agentlab_ci.agents.interface import Agent, ChatModel, SimulationModels
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.core.results import SampleResult, ScenarioFacts, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.trace import Wait
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.runner.giving_up import spare
from agentlab_ci.runner.ledger import Ledger
from agentlab_ci.runner.outage import Outages
from agentlab_ci.runner.plan import Plan, PlanRow
from agentlab_ci.runner.reachability import UNREACHED, Reach, Reachability, find_failure
from agentlab_ci.runner.sample import SampleLimits, SampleRun, never_run
from agentlab_ci.runner.schedule import Job, Schedule
from agentlab_ci.runner.set_up import SetUp
from agentlab_ci.tools.interface import ToolboxOpener

KEEP_SECONDS = 1.0
"""How long a slot waits until its sample is stored; a store that takes longer catches up on its own."""
GRACE_SECONDS = 2.0
"""What running samples get after an interruption; a CI runner kills ten seconds after cancelling."""
_CLEANUP_SECONDS = 2.0


class Observer(Protocol):
    """Who is told how the run goes. Called in the event loop, so it must not block."""

    def sample_started(self, facts: ScenarioFacts, sample: int, run_id: str) -> None:
        """A sample has begun; it is not told of those that never do."""
        ...

    def sample_ended(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        """A sample has its result; called again for one whose agent is then given up on."""
        ...

    def scenario_complete(self, result: ScenarioResult) -> None:
        """All samples of a scenario have ended for good; scenarios come in any order."""
        ...

    def waiting(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        """A sample waits because its agent, or a model of its simulation, is busy."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineWorld:
    """What the engine uses of the world. `redact` is applied before anybody sees a result.

    `open_agent`, and for simulations `open_models`, is called once for each worker slot that has a use for it.
    `keep` hands a result to the store, in place of an earlier one of the same sample; where that takes time it
    returns a future, done once the result is safe. Nothing is told of a sample before that.
    """

    open_agent: Callable[[AgentConfig], Agent]
    open_models: Callable[[], SimulationModels]
    open_tools: ToolboxOpener
    set_up: SetUp
    now: Callable[[], datetime]
    new_run_id: Callable[[datetime], str]
    redact: Callable[[SampleResult], SampleResult]
    keep: Callable[[ScenarioFacts, SampleResult], asyncio.Future[None] | None]
    observer: Observer
    interrupts: Interrupts


def run_plan(plan: Plan, ledger: Ledger, world: EngineWorld, *, deadline: float | None = None) -> None:
    """Run every sample of the plan into the ledger; `deadline` is the whole run's, in seconds.

    At the deadline, and two seconds after a signal, what still runs or waits is cancelled. Returns with every
    sample in the ledger, or raises an ExceptionGroup of the bugs in agentlab that cost a sample its result.
    """
    # Not asyncio.run: it waits for the threads of name look-ups, which may hang long after the run is over.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(execute(plan, ledger, world, deadline=deadline))
    finally:
        loop.close()


async def execute(plan: Plan, ledger: Ledger, world: EngineWorld, *, deadline: float | None = None) -> None:
    """Do what `run_plan` says, inside a running loop."""
    await _Engine(plan, ledger, world).run(deadline)


class _Slot:
    """What one worker has open: connections of its own, each opened on first use."""

    def __init__(self, world: EngineWorld) -> None:
        self._world = world
        self._agents: dict[str, Agent] = {}
        self._models: SimulationModels | None = None

    def agent_of(self, job: Job) -> Agent:
        name = job.row.agent.name
        if name not in self._agents:
            self._agents[name] = self._world.open_agent(job.row.agent)
        return self._agents[name]

    def models_of(self, job: Job) -> SimulationModels | None:
        if job.row.scenario.type is not ScenarioType.SIMULATION:
            return None
        if self._models is None:
            self._models = self._world.open_models()
        return self._models

    async def close(self) -> None:
        models = () if self._models is None else (self._models.simulator, self._models.judge)
        for connection in (*self._agents.values(), *models):
            await _close(connection)


class _Engine:
    def __init__(self, plan: Plan, ledger: Ledger, world: EngineWorld) -> None:
        self._plan = plan
        self._ledger = ledger
        self._world = world
        self._schedule = Schedule(plan)
        self._limits = SampleLimits(
            timeout=plan.sample_timeout, error_retries=plan.error_retries, pass_score=plan.pass_score
        )
        self._slots = min(plan.concurrency, plan.total_samples)
        self._outages = Outages(slots=self._slots)
        self._running: dict[asyncio.Task[SampleResult], Job] = {}
        self._stop_reasons: dict[asyncio.Task[SampleResult], TerminationReason] = {}
        self._bugs: list[Exception] = []
        self._changed = asyncio.Event()
        self._unended = Counter[str]()
        for row in plan.runnable:
            self._unended[row.agent.name] += row.facts.samples_wanted
        self._reachability = {
            row.agent.name: Reachability(
                samples=self._unended[row.agent.name],
                slots=min(self._slots, row.agent.max_concurrency or self._slots),
            )
            for row in plan.runnable
        }
        self._held: dict[str, list[PlanRow]] = {name: [] for name in self._unended}

    async def run(self, deadline: float | None) -> None:
        interrupted = asyncio.Event()
        loop = asyncio.get_running_loop()

        def note_signal() -> None:
            with contextlib.suppress(RuntimeError):  # in another thread than the signal's, the loop may just end
                loop.call_soon_threadsafe(interrupted.set)

        self._world.interrupts.subscribe(note_signal)
        try:
            if self._world.interrupts.exit_code is not None:
                self._start_nothing_more(TerminationReason.INTERRUPTED)
            async with asyncio.TaskGroup() as group:
                supervisor = group.create_task(self._supervise(interrupted, deadline))
                await asyncio.wait([group.create_task(self._work()) for _ in range(self._slots)])
                supervisor.cancel()
        finally:
            self._world.interrupts.subscribe(None)
        for name in self._held:
            self._release(name)
        if self._bugs:
            raise ExceptionGroup("a bug in agentlab cost samples their result", self._bugs)

    async def _supervise(self, interrupted: asyncio.Event, deadline: float | None) -> None:
        reason = TerminationReason.INTERRUPTED
        if await _came(interrupted, within=deadline):
            self._start_nothing_more(reason)
            interrupted.clear()
            await _came(interrupted, within=GRACE_SECONDS)
        else:
            reason = TerminationReason.RUN_DEADLINE
            self._start_nothing_more(reason)
        self._stop_running(self._running, reason)

    async def _work(self) -> None:
        slot = _Slot(self._world)
        try:
            while (job := await self._next_job()) is not None:
                await self._run_job(job, slot.agent_of(job), slot.models_of(job))
        finally:
            await slot.close()

    async def _next_job(self) -> Job | None:
        while not self._schedule.exhausted:
            job = self._schedule.next()
            if job is not None:
                return job
            await self._changed.wait()
        return None

    async def _run_job(self, job: Job, agent: Agent, models: SimulationModels | None) -> None:
        now = self._world.now()
        number = self._reachability[job.row.agent.name].start()
        run_id = self._world.new_run_id(now)
        sample = SampleRun(
            job,
            agent,
            run_id=run_id,
            started_at=now,
            limits=self._limits,
            models=models,
            outages=self._outages,
            open_tools=self._world.open_tools,
            set_up=self._world.set_up,
            on_wait=lambda job, wait: self._world.observer.waiting(job.row.facts, job.sample, wait),
        )
        task = asyncio.create_task(sample.run())
        self._running[task] = job
        self._world.observer.sample_started(job.row.facts, job.sample, run_id)
        try:
            result = await task
        except asyncio.CancelledError:
            reason = self._stop_reasons.pop(task, None)
            if reason is None:
                raise
            result = sample.stopped(reason)
        except Exception as bug:  # noqa: BLE001 - it costs this sample; all of them are raised once the run is over
            self._bugs.append(bug)
            result = sample.broken(bug)
        finally:
            del self._running[task]
        result = self._world.redact(result)
        await self._keep([(job.row, result)])
        dropped = self._schedule.finish(job, result.status)
        self._record(job.row, result)
        self._record_unrun(dropped, TerminationReason.SETTLED)
        rewritten = self._judge_reach(number, sample, job, result)
        self._wake_workers()
        await self._keep(rewritten)

    async def _keep(self, results: Sequence[tuple[PlanRow, SampleResult]]) -> None:
        kept = [self._world.keep(row.facts, sample) for row, sample in results]
        waiting = [future for future in kept if future is not None]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=KEEP_SECONDS)
            for future in late:
                future.cancel()

    def _judge_reach(
        self, number: int, run: SampleRun, job: Job, result: SampleResult
    ) -> list[tuple[PlanRow, SampleResult]]:
        """Give up on the agent, or on no account any more; returns the earlier results that this rewrote."""
        rewritten: list[tuple[PlanRow, SampleResult]] = []
        if result.status is SampleStatus.CANCELLED:
            return rewritten
        name = job.row.agent.name
        reachability = self._reachability[name]
        before = reachability.reach
        last = self._unended[name] == 0
        settled = before is Reach.UNKNOWN and self._ledger.none_can_pass(name)
        if run.says_nothing:
            reach = reachability.forget(number, last=last, settled=settled)
        else:
            failure = find_failure(result, unreached=run.unreached)
            reach = reachability.record(
                number, failure, scenario_id=job.row.scenario.id, last=last, settled=settled
            )
        if reach.given_up:
            rewritten += self._ledger.give_up_on(name, reachability.failure or UNREACHED)
            for row, sample in rewritten:
                self._world.observer.sample_ended(row.facts, sample)
            if before is Reach.UNKNOWN:
                self._give_up_on(name, reach)
        if reach is not Reach.UNKNOWN:
            self._release(name)
        return rewritten

    def _give_up_on(self, name: str, reach: Reach) -> None:
        """Start none of the agent's samples any more. Those that run may yet go well, if it can be reached."""
        self._record_unrun(self._schedule.drop_agent(name), TerminationReason.AGENT_UNREACHABLE)
        if reach is Reach.UNREACHABLE:
            of_agent = [task for task, job in self._running.items() if job.row.agent.name == name]
            self._stop_running(of_agent, TerminationReason.AGENT_UNREACHABLE)

    def _record(self, row: PlanRow, sample: SampleResult) -> None:
        self._ledger.add(row, sample)
        self._unended[row.agent.name] -= 1
        self._world.observer.sample_ended(row.facts, sample)
        if self._ledger.is_complete(row):
            self._held[row.agent.name].append(row)

    def _record_unrun(self, jobs: Iterable[Job], reason: TerminationReason) -> None:
        for job in jobs:
            self._record(job.row, self._explain_stop(job, never_run(job, reason)))

    def _explain_stop(self, job: Job, stopped: SampleResult) -> SampleResult:
        reachability = self._reachability[job.row.agent.name]
        if stopped.termination_reason is TerminationReason.AGENT_UNREACHABLE and reachability.failure is not None:
            return spare(stopped, reachability.failure)
        return stopped

    def _release(self, name: str) -> None:
        """Tell of the agent's complete scenarios, which wait until it is known whether it can be reached."""
        held, self._held[name] = self._held[name], []
        for row in held:
            self._world.observer.scenario_complete(self._ledger.judge(row))

    def _start_nothing_more(self, reason: TerminationReason) -> None:
        self._record_unrun(self._schedule.drop_all(), reason)
        self._wake_workers()

    def _stop_running(self, tasks: Iterable[asyncio.Task[SampleResult]], reason: TerminationReason) -> None:
        for task in list(tasks):
            self._stop_reasons.setdefault(task, reason)
            task.cancel()

    def _wake_workers(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def _came(event: asyncio.Event, *, within: float | None) -> bool:
    try:
        async with asyncio.timeout(within):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _close(connection: Agent | ChatModel) -> None:
    with contextlib.suppress(TimeoutError):  # a connection that will not close dies with the process
        async with asyncio.timeout(_CLEANUP_SECONDS):
            await connection.aclose()
