"""What a comparison says, in the words that its every format takes. What comes from results is untrusted."""

from collections.abc import Iterator
from fractions import Fraction

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison, judged_samples
from agentlab_ci.core.compare_runs import Change, EvaluationChange, RunComparison, RunView
from agentlab_ci.core.drift import Drift
from agentlab_ci.core.hard_gates import LostGate
from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.compare_parts import name_key
from agentlab_ci.reports.formatting import Glyphs, format_duration
from agentlab_ci.reports.wording import NAMED_SCENARIOS, Show

_SMALLEST_P = Fraction(1, 10_000)


def format_p(p: Fraction) -> str:
    """Write a probability with two digits: `1.0`, `0.1`, `0.0079`, `< 0.0001`."""
    if p < _SMALLEST_P:
        return f"< {float(_SMALLEST_P)}"
    rounded = f"{float(p):.2g}"
    return f"{rounded}.0" if rounded in ("0", "1") else rounded


def tell_passes(row: RowComparison) -> str:
    """Write how a comparable scenario stood and stands: `3/3 -> 2/3`; with one sample the verdicts."""
    if row.old is None or row.new is None:
        return ""
    return f"{_count(row.old)} -> {_count(row.new)}"


def tell_p(row: RowComparison) -> str:
    """Write Fisher's p where the share of passes changed; empty elsewhere, where it says nothing."""
    if row.p is None or row.old is None or row.new is None:
        return ""
    old, new = len(judged_samples(row.old)), len(judged_samples(row.new))
    if row.old.passed * new == row.new.passed * old:
        return ""
    smaller = format_p(row.p)
    return f"p {smaller}" if smaller.startswith("<") else f"p = {smaller}"


def row_notes(row: RowComparison) -> Iterator[str]:
    """Yield what is to be said of a scenario beside its counts, one line each."""
    if row.reason:
        yield row.reason
    yield from map(_tell_lost_gate, row.lost_gates)
    if row.fewer_passes:
        yield "fewer samples pass, and the verdict is the same: no regression"
    if drift := tell_drift(row.runtime, row.steps):
        yield drift
    if row.change is Change.REGRESSED and not row.gates:
        yield "does not gate"


def run_notes(run: RunComparison) -> Iterator[str]:
    """Yield what is to be said of two runs beside their diffs, one line each."""
    if run.reason:
        yield run.reason
    old, new = run.old.run, run.new.run
    if old.termination_reason is not new.termination_reason:
        yield f"ended: {old.termination_reason.value} -> {new.termination_reason.value}"
    if old.score != new.score:
        yield f"score: {_or_none(old.score)} -> {_or_none(new.score)}"
    if drift := tell_drift(run.runtime, run.steps):
        yield drift
    for name, sample in (("old", old), ("new", new)):
        if sample.error is not None:
            yield f"error of the {name} run: {sample.error.message}"
    yield from map(_tell_evaluation, run.evaluations)


def name_run(view: RunView) -> str:
    """Name a run: its id if it has one, its number, and how it ended."""
    run = view.run
    said = f"sample {run.sample}/{run.of}, {run.status.value}"
    return said if run.run_id is None else f"{run.run_id} ({said})"


def tell_drift(runtime: Drift | None, steps: Drift | None) -> str:
    """Write runtime and steps where they are beyond their floors."""
    said = []
    if runtime is not None:
        said.append(f"runtime {format_duration(runtime.old)} -> {format_duration(runtime.new)}")
    if steps is not None:
        said.append(f"steps {steps.old:g} -> {steps.new:g}")
    return ", ".join(said)


def count_changes(comparison: BatchComparison) -> str:
    """Count the scenarios by what became of them: `3 scenarios: 1 regressed, 2 unchanged_pass`."""
    counts = comparison.counts
    told = ", ".join(f"{counts[change]} {change.value}" for change in Change if counts[change])
    return ": ".join(part for part in (plural(len(comparison.rows), "scenario"), told) if part)


def conclude_batches(comparison: BatchComparison, glyphs: Glyphs, show: Show) -> str:
    """Say in one sentence what came of it. Scenarios that regressed and do not gate are named after the others."""
    compared = sum(row.change is not Change.NOT_COMPARABLE for row in comparison.rows)
    gating = [row for row in comparison.regressed if row.gates]
    others = [row for row in comparison.regressed if not row.gates]
    if not compared:
        return "nothing could be compared"
    of = f"of {plural(compared, 'compared scenario')}"
    clauses = [
        f"{len(gating)} {of} regressed: {_name(gating, glyphs, show)}" if gating else f"none {of} regressed"
    ]
    if others:
        clauses.append(f"not gating, but regressed: {_name(others, glyphs, show)}")
    return "; ".join(clauses)


def conclude_runs(run: RunComparison) -> str:
    """Say in a few words what became of the run."""
    statuses = f"{run.old.run.status.value} -> {run.new.run.status.value}"
    return f"{run.change.value}: {statuses}"


def _name(rows: list[RowComparison], glyphs: Glyphs, show: Show) -> str:
    names = [show(name_key(row.key, glyphs)) for row in rows]
    more = len(names) - NAMED_SCENARIOS
    return ", ".join(names[:NAMED_SCENARIOS]) + (f" and {more} more" if more > 0 else "")


def _count(row: ScenarioResult) -> str:
    if row.samples_wanted == 1 or row.verdict is Verdict.SKIPPED:
        return row.verdict.value
    return f"{row.passed}/{row.samples_wanted}"


def _tell_lost_gate(gate: LostGate) -> str:
    place = "" if gate.step is None else f" of step {gate.step}"
    of = plural(gate.of, "sample")
    return f"hard gate {gate.id}{place} passed in all old samples and fails in {gate.missed} of {of} now"


def _tell_evaluation(change: EvaluationChange) -> str:
    place = "" if change.step is None else f"step {change.step} "
    answers = f"{_answer(change.old)} -> {_answer(change.new)}"
    told = f"{place}{change.id} ({change.mode.value}): {answers}"
    return told if change.new is None else f"{told}: {change.message}"


def _answer(passed: bool | None) -> str:
    if passed is None:
        return "not run"
    return "passed" if passed else "failed"


def _or_none(score: int | None) -> str:
    return "none" if score is None else str(score)
