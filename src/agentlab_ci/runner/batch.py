"""One run under way: each sample is stored, and each scenario printed, as soon as it ends."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from agentlab_ci import __version__
from agentlab_ci.agents.interface import Agent, SimulationModels
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.core.judge import build_report
from agentlab_ci.core.results import (
    BatchFacts,
    RunReport,
    SampleResult,
    ScenarioFacts,
    ScenarioResult,
    SourceIdentity,
)
from agentlab_ci.core.trace import Wait
from agentlab_ci.errors import ExitCode
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console, JobLog
from agentlab_ci.reports.log import LogStyle, scenario_section
from agentlab_ci.runner.engine import EngineWorld, Observer, run_plan
from agentlab_ci.runner.ledger import Ledger
from agentlab_ci.runner.plan import Plan
from agentlab_ci.runner.set_up import SetUp
from agentlab_ci.settings import ReportSettings
from agentlab_ci.store.ids import new_batch_id, new_run_id
from agentlab_ci.store.writer import StoreWriter
from agentlab_ci.tools.interface import ToolboxOpener


class Watcher(Observer, Protocol):
    """Who watches a run in another way than in its log. `log` takes what the log of its scenarios prints."""

    log: Console

    def planned(self, rows: Sequence[ScenarioFacts]) -> None:
        """Everything that was given can be used, and this will run: told once, before all else."""
        ...


class Batch:
    """One invocation of `agentlab run`; it can report at any time what is known by then."""

    def __init__(
        self,
        plan: Plan,
        store: StoreWriter,
        *,
        open_agent: Callable[[AgentConfig], Agent],
        open_models: Callable[[], SimulationModels],
        open_tools: ToolboxOpener,
        set_up: SetUp,
        redact: Callable[[SampleResult], SampleResult],
        console: Console,
        log_style: LogStyle,
        now: Callable[[], datetime],
        interrupts: Interrupts,
        source: SourceIdentity,
        watcher: Watcher | None = None,
    ) -> None:
        self._plan = plan
        self._store = store
        self._console = console
        self._now = now
        self._interrupts = interrupts
        self._source = source
        self._ledger = Ledger(plan)
        self._started = now()
        self._began = console.clock()
        self._id = new_batch_id(self._started)
        self._ended_by: ExitCode | None = None
        log = JobLog(
            [row.key for row in plan.rows],
            total_samples=plan.total_samples,
            console=console if watcher is None else watcher.log,
            section=partial(scenario_section, style=log_style),
        )
        self._watcher = watcher
        self._observer: Observer = log if watcher is None else _Both(log, watcher)
        self._world = EngineWorld(
            open_agent=open_agent,
            open_models=open_models,
            open_tools=open_tools,
            set_up=set_up,
            now=now,
            new_run_id=new_run_id,
            redact=redact,
            keep=self._keep,
            observer=self._observer,
            interrupts=interrupts,
        )

    def run(self, *, deadline: float | None) -> None:
        """Run the plan to its end, its deadline (in seconds), or a signal."""
        self._store.start_batch(self._facts(), [row.facts for row in self._plan.rows])
        if self._watcher is not None:
            self._watcher.planned([row.facts for row in self._plan.rows])
        for row in self._plan.rows:
            if row.skipped:
                self._observer.scenario_complete(self._ledger.judge(row))
        self._ended_by = ExitCode.BUG  # unless the run gets past the next line
        run_plan(self._plan, self._ledger, self._world, deadline=deadline)
        self._ended_by = self._interrupts.exit_code

    def report(self, settings: ReportSettings) -> RunReport:
        """Judge all that has ended so far."""
        return build_report(
            self._facts(),
            self._ledger.judge_all(),
            duration_ms=round((self._console.clock() - self._began) * 1000, 1),
            require_finished=settings.require_finished,
            fail_on=settings.fail_on,
            ended_by=self._ended_by,
        )

    def _keep(self, facts: ScenarioFacts, sample: SampleResult) -> asyncio.Future[None] | None:
        variant = facts.variant.variant_label if facts.variant else None
        stored = self._store.add_sample(self._id, variant, sample)
        return None if stored is None else asyncio.wrap_future(stored)

    def _facts(self) -> BatchFacts:
        return BatchFacts(
            tool=f"agentlab {__version__}",
            batch_id=self._id,
            started_at=self._started.isoformat(timespec="milliseconds"),
            ended_at=self._now().isoformat(timespec="milliseconds"),
            sampling=self._plan.sampling,
            source=self._source,
            baseline=self._plan.baseline,
        )


class _Both:
    """Two observers as one."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def sample_started(self, facts: ScenarioFacts, sample: int, run_id: str) -> None:
        for observer in self._observers:
            observer.sample_started(facts, sample, run_id)

    def sample_ended(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        for observer in self._observers:
            observer.sample_ended(facts, sample)

    def waiting(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        for observer in self._observers:
            observer.waiting(facts, sample, wait)

    def scenario_complete(self, result: ScenarioResult) -> None:
        for observer in self._observers:
            observer.scenario_complete(result)
