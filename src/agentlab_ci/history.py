"""The story of what is stored: show it, list it, approve it, remove what is old."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from agentlab_ci.app import Outcome, World
from agentlab_ci.baselines import write_baseline
from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import (
    Approval,
    BatchEntry,
    BatchRef,
    Reference,
    RunEntry,
    RunRef,
    StoredRun,
    UnendedBatch,
)
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict, run_verdict
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.listing import batch_table, json_line, run_table
from agentlab_ci.reports.show_batch import batch_lines, scenario_lines, unended_lines
from agentlab_ci.reports.show_run import run_lines
from agentlab_ci.results_file import read_results_file
from agentlab_ci.store.approvals import approve, list_approvals
from agentlab_ci.store.listing import Filter, list_batches, list_runs
from agentlab_ci.store.pruning import prune
from agentlab_ci.store.reader import load_batch, load_report, load_run
from agentlab_ci.store.references import find_reference
from agentlab_ci.store.rows import timestamp

EntryT = TypeVar("EntryT", RunEntry, BatchEntry)

_ENDED = {
    "failed": "failed",
    "error": "could not be judged",
    "cancelled": "was cancelled",
    "unfinished": "is unfinished",
    "skipped": "was skipped",
}
"""How a run, a scenario or a batch ended that did not pass, by its status or verdict."""


def show(text: str, world: World, *, database: Path) -> Outcome:
    """Print a run, a batch, or what a batch holds of a scenario; raises BadInputError for what is not there."""
    reference = find_reference(database, text)
    approvals = list_approvals(database, batch_id=reference.batch_id)
    glyphs = world.log_style.glyphs
    match reference:
        case RunRef(run_id=run_id):
            _print(world, run_lines(load_run(database, run_id), glyphs, approved_at=_of_run(approvals, run_id)))
        case BatchRef(batch_id=batch_id, scenario_id=None):
            batch = load_batch(database, batch_id)
            if isinstance(batch, UnendedBatch):
                _print(world, unended_lines(batch, glyphs))
            else:
                _print(world, batch_lines(batch, glyphs, approvals))
        case BatchRef(batch_id=batch_id, scenario_id=str(scenario_id)):
            _print(world, _tell_scenario(load_batch(database, batch_id), scenario_id, approvals, glyphs))
    return Outcome(exit_code=ExitCode.OK)


def show_runs(
    asked: Filter, world: World, *, database: Path, status: SampleStatus | None, limit: int, as_json: bool
) -> Outcome:
    """Print the newest runs that are asked for; raises BadInputError where there is no database."""
    entries = list_runs(database, asked, status=status, limit=limit + 1)
    return _print_list("runs", entries, run_table, world, limit=limit, as_json=as_json)


def show_batches(
    asked: Filter, world: World, *, database: Path, verdict: BatchState | None, limit: int, as_json: bool
) -> Outcome:
    """Print the newest batches that are asked for; raises BadInputError where there is no database."""
    entries = list_batches(database, asked, verdict=verdict, limit=limit + 1)
    return _print_list("batches", entries, batch_table, world, limit=limit, as_json=as_json)


def approve_results(text: str, world: World, *, database: Path, force: bool, to: str | None = None) -> Outcome:
    """Store that a run, a batch, or what a batch holds of a scenario is as it should be.

    With `to` it is written into this baseline file as well; then it may be a file of results too, of which nothing
    is stored. Raises BadInputError for what is not there, did not end, or, without `force`, did not pass.
    """
    candidate = _find_candidate(text, world, database)
    _check(candidate, to=to, force=force)
    lines = [f"approved: {candidate.name}" + ("" if candidate.passed else f", which {candidate.how_ended}")]
    if to is not None:
        baseline = write_baseline(candidate.report, world.cwd, to)
        lines.append(f"baseline: {to}, {plural(len(baseline.scenarios), 'scenario')}")
    if candidate.reference is not None:
        approve(database, candidate.reference, at=timestamp(world.now()))
    _print(world, lines)
    return Outcome(exit_code=ExitCode.OK, report=candidate.report)


def approve_candidate(candidate: "Candidate", *, database: Path, now: datetime, force: bool) -> None:
    """Store that what is in the database is as it should be; raises BadInputError as `approve_results` does."""
    _check(candidate, to=None, force=force)
    if candidate.reference is not None:
        approve(database, candidate.reference, at=timestamp(now))


def prune_batches(
    world: World, *, database: Path, keep: int | None, older_than: timedelta | None, dry_run: bool
) -> Outcome:
    """Remove old batches with all their runs, and say which; raises BadInputError where there is no database."""
    pruned = prune(database, now=world.now(), keep=keep, older_than=older_than, dry_run=dry_run)
    done = "to remove" if dry_run else "removed"
    _print(world, (f"{done}: {batch_id}" for batch_id in pruned.removed))
    kept = [(pruned.kept, "new enough"), (pruned.approved, "approved"), (pruned.running, "may still run")]
    told = ", ".join(f"{count} {why}" for count, why in kept if count)
    count = len(pruned.removed)
    batches = "1 batch" if count == 1 else f"{count} batches"
    _print(world, [f"{batches} {done}; kept: {told or 'none'}"])
    return Outcome(exit_code=ExitCode.OK)


def _tell_scenario(
    batch: RunReport | UnendedBatch, scenario_id: str, approvals: Sequence[Approval], glyphs: Glyphs
) -> Iterator[str]:
    """Yield how the scenario stands on each variant, where that is known, and then its runs."""
    if isinstance(batch, UnendedBatch):
        runs = [
            StoredRun(batch=batch.facts, variant=variant, row=None, sample=sample)
            for (variant, held), samples in batch.samples.items()
            for sample in samples
            if held == scenario_id
        ]
    else:
        rows = [row for row in batch.scenarios if row.scenario_id == scenario_id]
        for row in rows:
            yield from scenario_lines(row, glyphs)
        runs = [
            StoredRun(batch=batch, variant=row.key[0], row=row, sample=sample)
            for row in rows
            for sample in row.samples
        ]
    for run in runs:
        if run.sample.run_id is not None:
            yield ""
            yield from run_lines(run, glyphs, approved_at=_of_run(approvals, run.sample.run_id))


def _of_run(approvals: Iterable[Approval], run_id: str) -> str | None:
    """Return when the run itself was approved."""
    for approval in approvals:
        if isinstance(approval.reference, RunRef) and approval.reference.run_id == run_id:
            return approval.approved_at
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is to be approved. `reference` is None for a file; `ended` is a status or a verdict."""

    name: str
    reference: Reference | None
    report: RunReport
    ended: str

    @property
    def passed(self) -> bool:
        """Whether it may be approved without anybody insisting."""
        return self.ended == Verdict.PASSED

    @property
    def how_ended(self) -> str:
        """Say in a few words how it ended, if it did not pass."""
        return _ENDED[self.ended]


def _find_candidate(text: str, world: World, database: Path) -> Candidate:
    if text.endswith(".json") or (world.cwd / text).is_file():
        report = regate(read_results_file(world.cwd, text))
        return Candidate(name=text, reference=None, report=report, ended=_verdict_of_all(report))
    return load_candidate(find_reference(database, text), database=database)


def load_candidate(reference: Reference, *, database: Path) -> Candidate:
    """Return what is stored, to be approved; raises BadInputError for what is not there or did not end."""
    report = load_report(database, reference.batch_id)
    match reference:
        case RunRef(run_id=run_id):
            ended = next(s.status for row in report.scenarios for s in row.samples if s.run_id == run_id)
            return Candidate(name=run_id, reference=reference, report=report, ended=ended)
        case BatchRef(batch_id=batch_id, scenario_id=None):
            return Candidate(name=batch_id, reference=reference, report=report, ended=_verdict_of_all(report))
        case BatchRef(batch_id=batch_id, scenario_id=scenario_id):
            rows = tuple(row for row in report.scenarios if row.scenario_id == scenario_id)
            return Candidate(
                name=f"{scenario_id} of {batch_id}",
                reference=reference,
                report=report.model_copy(update={"scenarios": rows}),
                ended=run_verdict(row.verdict for row in rows),
            )


def _verdict_of_all(report: RunReport) -> Verdict:
    """Return the verdict over every scenario, those that do not gate included: all of them are approved."""
    judged = [row.verdict for row in report.scenarios if row.verdict is not Verdict.SKIPPED]
    return run_verdict(judged) if judged else Verdict.SKIPPED


def _check(candidate: Candidate, *, to: str | None, force: bool) -> None:
    refusal = _refuse(candidate, to=to, force=force)
    if refusal is not None:
        raise BadInputError(f"not approved: {candidate.name} {refusal}")


def _refuse(candidate: Candidate, *, to: str | None, force: bool) -> str | None:
    """Say why it cannot be approved, and what would help; None when it can."""
    if candidate.reference is None and to is None:
        return "is a file, of which nothing is stored: name a baseline file with --to"
    if isinstance(candidate.reference, RunRef) and to is not None:
        return f"is a run, and {to} takes whole scenarios: name its batch"
    if not candidate.passed and not force:
        return f"{candidate.how_ended}; --force approves it all the same"
    return None


def _print_list(
    nouns: str,
    entries: Sequence[EntryT],
    table: Callable[[Sequence[EntryT], Glyphs], list[str]],
    world: World,
    *,
    limit: int,
    as_json: bool,
) -> Outcome:
    """Print up to `limit` entries; that there are none, or more, is talk, which no program has to read."""
    shown = entries[:limit]
    if as_json:
        _print(world, map(json_line, shown))
    elif shown:
        _print(world, table(shown, world.log_style.glyphs))
    if not shown:
        world.console.err(f"no {nouns} like that are stored")
    elif len(entries) > limit:
        world.console.err(f"the newest {limit} {nouns}: --limit shows more")
    return Outcome(exit_code=ExitCode.OK)


def _print(world: World, lines: Iterable[str]) -> None:
    for line in lines:
        world.console.out(for_log(line))
