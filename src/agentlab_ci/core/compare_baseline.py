"""A judged scenario held against what was approved of it, and a batch made into what is approved."""

from agentlab_ci.core.baseline import (
    ApprovedScenario,
    BaselineComparison,
    BaselineFacts,
    BaselineFile,
    BaselineState,
    HardGate,
    LostHardGate,
)
from agentlab_ci.core.hard_gates import find_held_gates, find_missed_gates
from agentlab_ci.core.results import BatchFacts, RunReport, ScenarioResult
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict

_ORIGIN = {"batch_id", "commit", "ended_at"}


def compare_with_baseline(row: ScenarioResult, facts: BaselineFacts) -> BaselineComparison:
    """Say how a judged scenario stands against the baseline.

    It regressed when its verdict went from passed to failed, or when a hard gate that passed in all approved
    samples fails in most new ones, whatever the verdict. It is comparable when the same was asked, as often and
    against the same bar, and judged.
    """
    approved = facts.approved
    if approved is None:
        return BaselineComparison(approved=None, state=BaselineState.NEW)
    reason = _explain_other_terms(approved, row)
    if reason:
        return BaselineComparison(approved=approved, state=BaselineState.NOT_COMPARABLE, reason=reason)
    lost = find_missed_gates(((gate.step, gate.id) for gate in approved.hard_gates), row.samples)
    if lost:
        gates = tuple(LostHardGate(id=it.id, step=it.step, missed=it.missed, of=it.of) for it in lost)
        return BaselineComparison(approved=approved, state=BaselineState.REGRESSED, lost_gates=gates)
    if reason := _explain_undecided(row):
        return BaselineComparison(approved=approved, state=BaselineState.NOT_COMPARABLE, reason=reason)
    return BaselineComparison(approved=approved, state=_classify(approved, row))


def make_baseline(report: RunReport, earlier: BaselineFile | None) -> BaselineFile:
    """Return what is approved once this batch is: its judged scenarios, and what `earlier` has beside them.

    A scenario that stands as it did keeps its line, so that only lines change of which something is to be
    reviewed. Scenarios that are skipped, unfinished or could not be judged leave the earlier line alone.
    """
    lines = {line.key: line for line in earlier.scenarios} if earlier else {}
    for row in report.scenarios:
        if is_decided(row):
            line = _approve(row, report)
            known = lines.get(row.key)
            if known is None or known.model_dump(exclude=_ORIGIN) != line.model_dump(exclude=_ORIGIN):
                lines[row.key] = line
    ordered = sorted(lines.values(), key=lambda line: (line.scenario_id, line.variant or ""))
    return BaselineFile(version=1, scenarios=tuple(ordered))


def is_decided(row: ScenarioResult) -> bool:
    """Tell whether a scenario has a verdict that says something of its agent, and so can be approved."""
    return row.verdict is not Verdict.SKIPPED and not _explain_undecided(row)


def _approve(row: ScenarioResult, batch: BatchFacts) -> ApprovedScenario:
    return ApprovedScenario(
        scenario_id=row.scenario_id,
        variant=row.key[0],
        hash=row.hash,
        verdict="passed" if row.verdict is Verdict.PASSED else "failed",
        passed=row.passed,
        samples=row.samples_wanted,
        needed=row.needed,
        hard_gates=tuple(HardGate(id=id_, step=step) for step, id_ in find_held_gates(row.samples)),
        batch_id=batch.batch_id,
        commit=batch.source.commit,
        ended_at=batch.ended_at,
    )


def _explain_other_terms(approved: ApprovedScenario, row: ScenarioResult) -> str:
    if row.verdict is Verdict.SKIPPED:
        return "skipped in this run"
    if approved.hash != row.hash:
        return "the scenario has changed"
    if approved.samples != row.samples_wanted:
        return f"{plural(approved.samples, 'sample')} when approved, {row.samples_wanted} now"
    if approved.needed != row.needed:
        return f"needed {approved.needed} of {approved.samples} when approved, needs {row.needed} now"
    return ""


def _explain_undecided(row: ScenarioResult) -> str:
    if row.verdict is Verdict.UNFINISHED:
        return "unfinished"
    return "could not be judged" if row.could_not_be_judged else ""


def _classify(approved: ApprovedScenario, row: ScenarioResult) -> BaselineState:
    passed = approved.verdict == "passed"
    if row.verdict is Verdict.PASSED:
        return BaselineState.UNCHANGED if passed else BaselineState.FIXED
    return BaselineState.REGRESSED if passed else BaselineState.STILL_FAILING
