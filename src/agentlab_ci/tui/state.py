"""What the live view shows, as data; every verdict and count comes from the functions of the reports."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RowKey, RunReport, SampleResult, ScenarioFacts, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.trace import Wait
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.wording import pass_lines
from agentlab_ci.tui.feed import (
    Event,
    Finished,
    Planned,
    Said,
    SampleEnded,
    SampleStarted,
    SampleWaits,
    ScenarioCompleted,
)


class Phase(StrEnum):
    """How far a sample is."""

    NOT_STARTED = "not started"
    RUNNING = "running"
    WAITING = "waiting"
    ENDED = "ended"
    NOT_RUN = "not run"
    """The run is over, and nothing is known of it."""
    NOT_STORED = "not stored"
    """The batch has no end: the sample may run, or not have run."""


@dataclass(frozen=True, slots=True)
class SampleView:
    """One sample as far as it is. `result` is there once it has ended, `wait` while it waits."""

    number: int
    of: int
    phase: Phase = Phase.NOT_STARTED
    run_id: str | None = None
    wait: Wait | None = None
    wait_ends: float = 0
    result: SampleResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """One scenario, numbered from 1 in YAML order, judged by the samples that have ended."""

    number: int
    result: ScenarioResult
    samples: tuple[SampleView, ...]

    @property
    def key(self) -> RowKey:
        """What tells this row from every other."""
        return self.result.key

    @property
    def name(self) -> str:
        """What people call it; untrusted."""
        parts = (self.result.name or self.result.scenario_id, self.result.key[0])
        return " · ".join(part for part in parts if part)

    @property
    def passes(self) -> str:
        """How many of its samples passed: `2/3`; empty for a skipped one."""
        skipped = self.result.verdict is Verdict.SKIPPED
        return "" if skipped else f"{self.result.passed}/{self.result.samples_wanted}"

    def count(self, phase: Phase) -> int:
        """Count its samples that are so far."""
        return sum(sample.phase is phase for sample in self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The run in figures; samples, unless it says scenarios. Costs are None where nobody knows any."""

    wanted: int = 0
    ended: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    cancelled: int = 0
    running: int = 0
    waiting: int = 0
    scenarios: int = 0
    scenarios_failed: int = 0
    scenarios_not_judged: int = 0
    skipped: int = 0
    cost_usd: float | None = None
    simulation_cost_usd: float | None = None


class LiveState:
    """Everything that is shown, brought up to date by events. Times are seconds of the caller's clock.

    `unended` is a stored batch that has no end, because it still runs or was killed.
    """

    def __init__(self, *, unended: bool = False) -> None:
        self.unended = unended
        self.report: RunReport | None = None
        self.over = False
        self._said: list[str] = []
        self._rows: dict[RowKey, RowView] = {}
        self._samples: dict[RowKey, dict[int, SampleView]] = {}
        self._figures: dict[RowKey, Counts] = {}
        self._touched: dict[RowKey, None] = {}
        self._waiting: set[tuple[RowKey, int]] = set()
        self._counts: Counts | None = None
        self._pass_lines: tuple[str, ...] | None = None

    def apply(self, event: Event, now: float = 0) -> None:
        """Take note of an event; it is judged when `take_changed` is called."""
        match event:
            case Planned(rows):
                for facts in rows:
                    self._plan(judge_scenario(facts, ()))
            case SampleStarted(facts, number, run_id):
                self._put(facts.key, SampleView(number, facts.samples_wanted, Phase.RUNNING, run_id=run_id))
            case SampleWaits(facts, number, wait):
                before = self._samples[facts.key][number]
                waits = replace(before, phase=Phase.WAITING, wait=wait, wait_ends=now + wait.seconds)
                self._put(facts.key, waits)
                self._waiting.add((facts.key, number))
            case SampleEnded(facts, sample):
                self._end(facts.key, sample)
            case ScenarioCompleted(result):
                self._complete(result)
            case Said(line):
                self._said.append(line)
            case Finished(report):
                self._finish(report)

    def take_changed(self, now: float = 0) -> tuple[RowKey, ...]:
        """Judge what was touched, and say which rows are others than when this was last called."""
        for key, number in tuple(self._waiting):
            sample = self._samples[key][number]
            if sample.phase is not Phase.WAITING or sample.wait_ends <= now:
                self._waiting.discard((key, number))
                if sample.phase is Phase.WAITING:
                    self._put(key, replace(sample, phase=Phase.RUNNING, wait=None))
        changed = tuple(self._touched)
        self._touched.clear()
        for key in changed:
            self._judge(key)
        if changed:
            self._counts = None
        return changed

    @property
    def said(self) -> tuple[str, ...]:
        """The lines of talk so far; untrusted."""
        return tuple(self._said)

    @property
    def longest_wait(self) -> Wait | None:
        """The longest of the waits that go on."""
        waits = (self._samples[key][number].wait for key, number in self._waiting)
        return max((wait for wait in waits if wait is not None), key=lambda wait: wait.seconds, default=None)

    @property
    def rows(self) -> tuple[RowView, ...]:
        """All rows in YAML order."""
        return tuple(self._rows.values())

    def row(self, key: RowKey) -> RowView:
        """Return one row."""
        return self._rows[key]

    def find(self, query: str = "", *, only_below: bool = False) -> tuple[RowKey, ...]:
        """Return the rows, in order, whose name or id holds `query` in any case, and which are below the bar."""
        if not query and not only_below:
            return tuple(self._rows)
        wanted = query.casefold()
        return tuple(
            key
            for key, row in self._rows.items()
            if (row.result.below_bar or not only_below)
            and (wanted in row.name.casefold() or wanted in row.result.scenario_id.casefold())
        )

    @property
    def counts(self) -> Counts:
        """The figures of all rows."""
        if self._counts is None:
            self._counts = _add_up(self._figures.values())
        return self._counts

    @property
    def sampled(self) -> bool:
        """Whether any scenario has more than one sample."""
        return any(row.result.samples_wanted > 1 for row in self._rows.values())

    @property
    def pass_lines(self) -> tuple[str, ...]:
        """pass@k and pass^k, in the words and with the counts of every report; variants are untrusted."""
        if self._pass_lines is None:
            # The lines are made from the scenarios alone, and adding up the rest takes longer than a tick may.
            known: dict[str, Any] = {"scenarios": tuple(row.result for row in self._rows.values())}
            self._pass_lines = pass_lines(RunReport.model_construct(**known), str)
        return self._pass_lines

    def _plan(self, result: ScenarioResult) -> None:
        key, of = result.key, result.samples_wanted
        runs = 0 if result.verdict is Verdict.SKIPPED else of
        self._samples[key] = {number: SampleView(number, of) for number in range(1, runs + 1)}
        number = self._rows[key].number if key in self._rows else len(self._rows) + 1
        self._rows[key] = RowView(number=number, result=result, samples=())
        self._touched[key] = None

    def _put(self, key: RowKey, sample: SampleView) -> None:
        if self._samples[key][sample.number].phase is not Phase.ENDED:
            self._samples[key][sample.number] = sample
            self._touched[key] = None

    def _end(self, key: RowKey, sample: SampleResult) -> None:
        ended = SampleView(sample.sample, sample.of, Phase.ENDED, run_id=sample.run_id, result=sample)
        self._samples[key][sample.sample] = ended
        self._touched[key] = None

    def _complete(self, result: ScenarioResult) -> None:
        self._plan(result)
        for sample in result.samples:
            self._end(result.key, sample)

    def _finish(self, report: RunReport | None) -> None:
        self.over, self.report = True, report
        for result in report.scenarios if report is not None else ():
            self._complete(result)
        unknown = Phase.NOT_STORED if self.unended else Phase.NOT_RUN
        for key, samples in self._samples.items():
            for sample in tuple(samples.values()):
                self._put(key, replace(sample, phase=unknown, wait=None))

    def _judge(self, key: RowKey) -> None:
        samples = tuple(self._samples[key].values())
        row = self._rows[key]
        result, ended = row.result, tuple(sample.result for sample in samples if sample.result is not None)
        if ended != result.samples:
            facts = ScenarioFacts.model_construct(**{name: getattr(result, name) for name in _FACTS})
            result = judge_scenario(facts, ended)
        if _may_count(row.result) or _may_count(result):
            self._pass_lines = None
        self._rows[key] = replace(row, result=result, samples=samples)
        self._figures[key] = _count(self._rows[key])


_FACTS = tuple(ScenarioFacts.model_fields)


def state_of(report: RunReport, *, unended: bool = False) -> LiveState:
    """Return the state of a run that is over, or of a batch as far as it is stored."""
    state = LiveState(unended=unended)
    state.apply(Finished(report))
    state.take_changed()
    return state


def _count(row: RowView) -> Counts:
    result = row.result
    ended = [sample.result for sample in row.samples if sample.result is not None]
    return Counts(
        wanted=len(row.samples),
        ended=len(ended),
        passed=result.passed,
        failed=result.count(SampleStatus.FAILED),
        errors=result.count(SampleStatus.ERROR),
        cancelled=result.count(SampleStatus.CANCELLED),
        running=row.count(Phase.RUNNING) + row.count(Phase.WAITING),
        waiting=row.count(Phase.WAITING),
        scenarios=int(result.verdict is not Verdict.SKIPPED),
        scenarios_failed=int(result.below_bar and not result.could_not_be_judged),
        scenarios_not_judged=int(result.could_not_be_judged),
        skipped=int(result.verdict is Verdict.SKIPPED),
        cost_usd=_add_known(sample.usage.cost_usd for sample in ended),
        simulation_cost_usd=_add_known(
            usage.cost_usd
            for sample in ended
            for usage in (sample.simulator_usage, sample.judge_usage)
            if usage is not None
        ),
    )


def _may_count(row: ScenarioResult) -> bool:
    """Tell whether pass@k and pass^k may depend on a scenario: they leave out those that miss samples."""
    return len(row.samples) == row.samples_wanted or row.stopped_early


def _add_up(figures: Iterable[Counts]) -> Counts:
    each = tuple(figures)
    whole: dict[str, Any] = {name: sum(getattr(counts, name) for counts in each) for name in _WHOLE}
    return Counts(
        **whole,
        cost_usd=_add_known(counts.cost_usd for counts in each),
        simulation_cost_usd=_add_known(counts.simulation_cost_usd for counts in each),
    )


_WHOLE = tuple(name for name in Counts.__dataclass_fields__ if not name.endswith("cost_usd"))


def _add_known(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None
