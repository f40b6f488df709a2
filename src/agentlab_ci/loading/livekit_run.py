"""A run that LiveKit's command has exported, as a run of ours: `lk agent simulate export RUN`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pydantic import BaseModel, ValidationError

from agentlab_ci import __version__
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.livekit_run import (
    CANCELLED,
    COMPLETED,
    FAILED,
    KEPT,
    PENDING,
    RUNNING,
    STATUS_PREFIX,
    Job,
    LivekitExport,
    Run,
    Sampling,
    Scenario,
)
from agentlab_ci.core.results import BatchFacts, Brief, ImportedRun, SampleResult, SamplingFacts, ScenarioFacts
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.sampling import DEFAULT_PASS_RATE, MAX_SAMPLES, PassRate
from agentlab_ci.core.scenario import Mode, ScenarioType
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Evaluation, SampleError
from agentlab_ci.errors import InvalidFilesError, Problem
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.loading.json_keys import find_double_key
from agentlab_ci.loading.livekit import name_tag
from agentlab_ci.loading.livekit_counts import find_doubt
from agentlab_ci.loading.livekit_history import read_conversation
from agentlab_ci.loading.livekit_time import milliseconds, read_moment, write_moment
from agentlab_ci.loading.plain import finite

TOOL = "livekit"
"""What `ImportedRun.tool`, and a suite without a name, is called."""
NO_REASON = "LiveKit gives no reason"
MAX_BYTES = 64 << 20
MAX_ITEMS_IN_ALL = 100_000
"""How many items the jobs of a run may have together: each takes as long to read as a short text."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NAMED_PROBLEMS = 20
_LONGEST_PLACE = 200
_UNFINISHED = (PENDING, RUNNING, CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LivekitRun:
    """What the document tells: the run, its scenarios in order with their samples, and what to tell its reader."""

    facts: BatchFacts
    imported: ImportedRun
    scenarios: tuple[tuple[ScenarioFacts, tuple[SampleResult, ...]], ...]
    duration_ms: float
    notes: tuple[str, ...]


def read_livekit_run(content: bytes, *, shown: str) -> LivekitRun:
    """Read the document, which messages call `shown`; it may say anything.

    Raises InvalidFilesError that names every place where it is not what it should be.
    """
    export = _parse(content, shown)
    run = export.run
    sampling = _Terms.of(run.sampling)
    problems = [
        Problem(path=shown, where=where, message=message)
        for where, message in chain(_find_excess(export), _find_contradictions(run, sampling))
    ]
    if problems:
        raise InvalidFilesError(problems[:_NAMED_PROBLEMS])
    gathered = _Gathered(run=run, sampling=sampling)
    scenarios = tuple(
        _read_scenario(row, export, suite=run.scenario_group.name or TOOL) for row in gathered.rows.values()
    )
    kept = [job for row in gathered.rows.values() for job in row.jobs.values()]
    verdicts = [judge_scenario(facts, samples).verdict for facts, samples in scenarios]
    doubt = find_doubt(export, kept=kept, verdicts=verdicts)
    times = [moment for _, samples in scenarios for sample in samples if (moment := sample.started_at)]
    started, ended = read_moment(run.created_at), read_moment(run.ended_at)
    return LivekitRun(
        facts=BatchFacts(
            tool=f"agentlab {__version__}",
            batch_id=run.id or TOOL,
            started_at=write_moment(started) or min(times, default=""),
            ended_at=write_moment(ended) or max(times, default=""),
            sampling=SamplingFacts(
                samples=sampling.samples, pass_rate=sampling.pass_rate, stop_when_settled=False
            ),
        ),
        imported=_read_facts(export, doubt),
        scenarios=scenarios,
        duration_ms=milliseconds(started, ended),
        notes=tuple(gathered.notes),
    )


def _parse(content: bytes, shown: str) -> LivekitExport:
    if len(content) > MAX_BYTES:
        raise _refusal(shown, f"longer than {MAX_BYTES >> 20} MiB")
    if not content.strip():
        raise _refusal(shown, "it is empty; LiveKit's command prints nothing of a run that has not ended")
    document = content.removeprefix(_BYTE_ORDER_MARK)
    place = find_double_key(document.decode("utf-8", "replace"))
    if place is not None:
        raise InvalidFilesError(
            [Problem(path=shown, where=place[-_LONGEST_PLACE:], message="stands twice: which of the two counts?")]
        )
    try:
        return LivekitExport.model_validate_json(document)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        for detail in details:
            if not detail["loc"]:  # no JSON at all, or no object
                raise _refusal(shown, str(detail["msg"])) from None
            if detail["loc"] == ("run",) and detail["type"] == "missing":
                raise _refusal(shown, _say_what_it_is(detail["input"])) from None
        raise InvalidFilesError(
            Problem(path=shown, where=_place(detail["loc"])[:_LONGEST_PLACE], message=str(detail["msg"]))
            for detail in details[:_NAMED_PROBLEMS]
        ) from None


def _refusal(shown: str, why: str) -> InvalidFilesError:
    return InvalidFilesError([Problem(path=shown, message=f"not what `lk agent simulate export` prints: {why}")])


def _say_what_it_is(given: dict[str, Any]) -> str:
    if "batch_id" in given and "scenarios" in given:
        return "these are results of agentlab, which are read without `--from livekit`"
    return "it has no `run`"


def _place(loc: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """What every scenario is held to; `sampled` tells a run with samples from a plain one."""

    sampled: bool
    samples: int
    pass_rate: PassRate

    @classmethod
    def of(cls, sampling: Sampling | None) -> "_Terms":
        given = sampling or Sampling()
        rate = given.pass_rate or PassRate(DEFAULT_PASS_RATE)
        return cls(sampled=sampling is not None, samples=given.samples or 1, pass_rate=rate)


def _find_excess(export: LivekitExport) -> Iterator[tuple[str, str]]:
    items = sum(len(history.items) for history in export.summary.chat_history.values())
    if items > MAX_ITEMS_IN_ALL:
        yield "summary.chat_history", f"holds {items:,} items; at most {MAX_ITEMS_IN_ALL:,} are read"


def _find_contradictions(run: Run, terms: _Terms) -> Iterator[tuple[str, str]]:
    """Name what cannot be: the place, and why."""
    if not 1 <= terms.samples <= MAX_SAMPLES:
        yield "run.sampling.samples", f"must be between 1 and {MAX_SAMPLES}, not {terms.samples}"
        return
    for index, job in enumerate(run.jobs):
        where = f"run.jobs[{index}].sample"
        if not 0 <= job.sample <= terms.samples:
            run_has = f"{plural(terms.samples, 'sample')} of each scenario" if terms.sampled else "no sampling"
            yield where, f"there is no sample {job.sample}: the run has {run_has}"
        elif terms.samples > 1 and job.scenario_id and job.sample == 0:
            yield where, f"missing: which of the {terms.samples} samples of {job.scenario_id} is it?"


@dataclass(slots=True, kw_only=True)
class _Row:
    """A scenario and its jobs by sample; `scenario` is None where the group does not know it."""

    scenario_id: str
    scenario: Scenario | None
    terms: _Terms
    jobs: dict[int, Job] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """The scenarios of the group in its order, then those that only jobs know, in the order of the file."""

    run: Run
    sampling: _Terms
    rows: dict[str, _Row] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    _taken: set[str] = field(default_factory=set)
    _made_up: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        scenarios = self.run.scenario_group.scenarios
        self._taken.update(scenario.id for scenario in scenarios)
        self._taken.update(job.scenario_id for job in self.run.jobs)
        for index, scenario in enumerate(scenarios):
            scenario_id = scenario.id
            if not scenario_id:
                scenario_id = self._make_up(f"scenario {index + 1}")
                label = f": {scenario.label}" if scenario.label else ""
                self.notes.append(f"{scenario_id} of the group has no id, so no job is known to be its own{label}")
            elif scenario_id in self.rows:
                scenario_id = self._make_up(scenario_id)
                self.notes.append(f"scenario {scenario.id} is in the group twice: its jobs are those of the first")
            self.rows[scenario_id] = _Row(scenario_id=scenario_id, scenario=scenario, terms=self.sampling)
        for index, job in enumerate(self.run.jobs):
            self._add(job, index)

    def _make_up(self, name: str) -> str:
        """Return an id that nothing else has, which is the name where that is free."""
        made = name
        while made in self._taken:
            self._made_up[name] += 1
            made = f"{name} ({self._made_up[name] + 1})"
        self._taken.add(made)
        return made

    def _add(self, job: Job, index: int) -> None:
        if job.status not in (COMPLETED, FAILED, *_UNFINISHED):
            self.notes.append(f"job {job.id} has the unknown status {job.status}: it counts as unfinished")
        scenario_id, terms = job.scenario_id, self.sampling
        if not scenario_id:
            scenario_id = self._make_up(job.id or f"job {index + 1}")
            # Without a number it is no sample of several, whatever the others are.
            terms = terms if job.sample else _Terms(sampled=False, samples=1, pass_rate=terms.pass_rate)
        row = self.rows.setdefault(scenario_id, _Row(scenario_id=scenario_id, scenario=None, terms=terms))
        number = min(max(1, job.sample), row.terms.samples)
        known = row.jobs.get(number)
        if known is not None:
            self.notes.append(f"{scenario_id}: there are two jobs for sample {number}: the later counts")
        if known is None or not _began_before(job, known):
            row.jobs[number] = job


def _began_before(job: Job, other: Job) -> bool:
    mine, its = read_moment(job.started_at), read_moment(other.started_at)
    return mine is not None and its is not None and mine < its


def _read_scenario(
    row: _Row, export: LivekitExport, *, suite: str
) -> tuple[ScenarioFacts, tuple[SampleResult, ...]]:
    told: Scenario | Job = row.scenario or next(iter(row.jobs.values()))
    known = row.scenario
    brief = Brief(instructions=told.instructions or None, expected=told.agent_expectations or None)
    facts = ScenarioFacts(
        scenario_id=row.scenario_id,
        name=told.label or row.scenario_id,
        type=ScenarioType.SIMULATION,
        suite=suite,
        tags=tuple(name_tag(key, value) for key, value in known.tags.items()) if known else (),
        file=None,
        line=None,
        hash=None,
        brief=brief if brief != Brief() else None,
        agent=None,
        samples_wanted=row.terms.samples,
        pass_rate=row.terms.pass_rate,
        **_kept(known, without={"id", "label", "instructions", "agent_expectations"}) if known else {},
    )
    samples = (_read_sample(row, number, row.jobs[number], export) for number in sorted(row.jobs))
    return facts, tuple(samples)


def _read_sample(row: _Row, number: int, job: Job, export: LivekitExport) -> SampleResult:
    status, reason = _END.get(job.status, _NOT_ENDED)
    started = read_moment(job.started_at)
    history = export.summary.chat_history.get(job.id) if job.id else None
    said = read_conversation(history.items if history else (), started=started)
    replies = [turn.text for turn in said.turns if turn.role == "agent"]
    return SampleResult(
        scenario_id=row.scenario_id,
        sample=number,
        of=row.terms.samples,
        run_id=job.id or None,
        status=status,
        termination_reason=reason,
        started_at=write_moment(started),
        duration_ms=milliseconds(started, read_moment(job.ended_at)),
        error=SampleError(message=job.error) if job.error and status is SampleStatus.CANCELLED else None,
        final_output=replies[-1] if replies else None,
        turns=tuple(said.turns),
        tool_calls=tuple(said.tool_calls),
        trace=tuple(said.trace),
        evaluations=_read_evaluations(job, status),
        **_kept(job, without={"id", "status", "error", "scenario_id", "sample", "started_at", "ended_at"}),
    )


_END = {
    COMPLETED: (SampleStatus.PASSED, TerminationReason.COMPLETED),
    FAILED: (SampleStatus.FAILED, TerminationReason.EVALUATOR_FAILED),
}
_NOT_ENDED = (SampleStatus.CANCELLED, TerminationReason.INTERRUPTED)


def _read_evaluations(job: Job, status: SampleStatus) -> tuple[Evaluation, ...]:
    """Return the judge's answer; of a passed sample only when it has said why."""
    if status is SampleStatus.CANCELLED or (status is SampleStatus.PASSED and not job.error):
        return ()
    return (
        Evaluation(
            id=JUDGE,
            type=JUDGE,
            mode=Mode.HARD_GATE,
            passed=status is SampleStatus.PASSED,
            message=job.error or NO_REASON,
        ),
    )


def _read_facts(export: LivekitExport, doubt: str | None) -> ImportedRun:
    run = export.run
    kept = _kept(run, without={"id", "status", "error", "jobs", "scenario_group"}).get(KEPT, {})
    group = _kept(run.scenario_group, without={"scenarios"}).get(KEPT)
    summary = _kept(export.summary, without={"chat_history"}).get(KEPT)
    document = _kept(export, without={"version", "run", "summary"}).get(KEPT)
    parts = {"scenario_group": group, "summary": summary, "document": document}
    kept |= {name: value for name, value in parts.items() if value}
    return ImportedRun(
        tool=TOOL,
        run_id=run.id,
        status=f"{STATUS_PREFIX}{run.status}" if run.status else "",
        error=run.error or None,
        completed=run.status == COMPLETED,
        failed=run.status == FAILED or (doubt is not None and run.status not in (PENDING, RUNNING)),
        doubt=doubt,
        **{KEPT: kept} if kept else {},
    )


def _kept(part: BaseModel, *, without: set[str]) -> dict[str, Any]:
    """Return what else a part of the document says, under one key; nothing where it says no more."""
    said = finite(part.model_dump(exclude=without, exclude_unset=True))
    return {KEPT: said} if said else {}
