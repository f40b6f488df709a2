"""Two batches held against each other, scenario by scenario; their agents may differ."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from agentlab_ci.core.behaviour import behaviour_of
from agentlab_ci.core.compare_runs import (
    Change,
    RunComparison,
    RunView,
    compare_runs,
    explain_other_scenario,
)
from agentlab_ci.core.drift import Drift, find_runtime_drift, find_steps_drift
from agentlab_ci.core.fisher import fisher_exact
from agentlab_ci.core.hard_gates import JUDGED, LostGate, find_lost_gates
from agentlab_ci.core.results import RowKey, RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RowComparison:
    """What became of one scenario. `old` or `new` is None where it is not in that batch, never both.

    `reason` says why it is not comparable, and is empty where it is; what follows it is then None or empty.
    `p` is Fisher's exact p, two-sided, of the judged samples: how likely such a difference is by chance. It never
    decides. `example` compares two samples that show what changed; None when all new samples are like old ones.
    """

    key: RowKey
    old: ScenarioResult | None
    new: ScenarioResult | None
    change: Change
    reason: str = ""
    lost_gates: tuple[LostGate, ...] = ()
    p: Fraction | None = None
    runtime: Drift | None = None
    steps: Drift | None = None
    example: RunComparison | None = None

    @property
    def gates(self) -> bool:
        """Whether a regression of it makes the comparison red."""
        return self.new is not None and self.new.gate

    @property
    def fewer_passes(self) -> bool:
        """Whether a smaller share of the judged samples passes, while the verdict is the same."""
        if self.old is None or self.new is None:
            return False
        if self.change not in (Change.UNCHANGED_PASS, Change.UNCHANGED_FAIL):
            return False
        old, new = judged_samples(self.old), judged_samples(self.new)
        return self.new.passed * len(old) < self.old.passed * len(new)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchComparison:
    """Every scenario of either batch: those of the new one in its order, then those that vanished."""

    old: RunReport
    new: RunReport
    rows: tuple[RowComparison, ...]

    @property
    def regressed(self) -> tuple[RowComparison, ...]:
        """The scenarios that regressed, of variants that do not gate as well."""
        return tuple(row for row in self.rows if row.change is Change.REGRESSED)

    @property
    def has_regressed(self) -> bool:
        """Whether a scenario that gates regressed."""
        return any(row.gates for row in self.regressed)

    @property
    def counts(self) -> Counter[Change]:
        """How many scenarios each change happened to."""
        return Counter(row.change for row in self.rows)


def compare_batches(old: RunReport, new: RunReport) -> BatchComparison:
    """Compare the scenarios of two batches, by variant and id."""
    before = {row.key: row for row in old.scenarios}
    after = {row.key for row in new.scenarios}
    rows = [_compare_rows(before.get(row.key), row) for row in new.scenarios]
    rows += [
        _not_comparable(row.key, row, None, "vanished: not in the new batch")
        for row in old.scenarios
        if row.key not in after
    ]
    return BatchComparison(old=old, new=new, rows=tuple(rows))


def judged_samples(row: ScenarioResult) -> tuple[SampleResult, ...]:
    """Return the samples that were judged: passed or failed."""
    return tuple(sample for sample in row.samples if sample.status in JUDGED)


def _compare_rows(old: ScenarioResult | None, new: ScenarioResult) -> RowComparison:
    if old is None:
        return _not_comparable(new.key, None, new, "new: not in the old batch")
    reason = _explain_other_terms(old, new)
    if reason:
        return _not_comparable(new.key, old, new, reason)
    lost = find_lost_gates(old.samples, new.samples)
    reason = "" if lost else _explain_undecided(old, "the old") or _explain_undecided(new, "the new")
    if reason:
        return _not_comparable(new.key, old, new, reason)
    change = Change.REGRESSED if lost else _classify(old.verdict, new.verdict)
    before, after = judged_samples(old), judged_samples(new)
    return RowComparison(
        key=new.key,
        old=old,
        new=new,
        change=change,
        lost_gates=lost,
        p=fisher_exact(
            old_passed=old.passed,
            old_failed=len(before) - old.passed,
            new_passed=new.passed,
            new_failed=len(after) - new.passed,
        ),
        runtime=find_runtime_drift(before, after),
        steps=find_steps_drift(new, before, after),
        example=_find_example(old, new, change, lost),
    )


def _not_comparable(
    key: RowKey, old: ScenarioResult | None, new: ScenarioResult | None, reason: str
) -> RowComparison:
    return RowComparison(key=key, old=old, new=new, change=Change.NOT_COMPARABLE, reason=reason)


def _explain_other_terms(old: ScenarioResult, new: ScenarioResult) -> str:
    """Say why the two were not run on the same terms; empty when they were."""
    for row, name in ((old, "the old batch"), (new, "the new batch")):
        if row.verdict is Verdict.SKIPPED:
            return f"skipped in {name}"
    if reason := explain_other_scenario(old, new):
        return reason
    if old.samples_wanted != new.samples_wanted:
        return f"{plural(old.samples_wanted, 'sample')} before, {new.samples_wanted} now"
    if old.needed != new.needed:
        return f"needed {old.needed} of {old.samples_wanted} before, needs {new.needed} now"
    return ""


def _explain_undecided(row: ScenarioResult, name: str) -> str:
    """Say why the judged samples do not decide the verdict; empty when they do.

    Enough are as many as settle it: `needed` passes, or so many failures that these cannot be reached any more.
    """
    if row.verdict is not Verdict.UNFINISHED and not row.could_not_be_judged:
        return ""
    judged = len(judged_samples(row))
    return f"too few samples of {name} batch were judged: {judged} of {row.samples_wanted}, needs {row.needed}"


def _classify(old: Verdict, new: Verdict) -> Change:
    if old is new:
        return Change.UNCHANGED_PASS if new is Verdict.PASSED else Change.UNCHANGED_FAIL
    return Change.IMPROVED if new is Verdict.PASSED else Change.REGRESSED


def _find_example(
    old: ScenarioResult, new: ScenarioResult, change: Change, lost: Sequence[LostGate]
) -> RunComparison | None:
    """Compare an old sample with a new one that shows what changed.

    Of a regression those are one that passed and one that failed, or missed a lost gate; of an improvement the
    other way round; elsewhere the first new one that did what no old one did, or ended as none did, and an old one
    that ended alike, if there is any.
    """
    before, after = judged_samples(old), judged_samples(new)
    match change:
        case Change.REGRESSED:
            one = _first(before, SampleStatus.PASSED)
            other = _first(_that_missed(after, lost) or after, SampleStatus.FAILED)
        case Change.IMPROVED:
            one, other = _first(before, SampleStatus.FAILED), _first(after, SampleStatus.PASSED)
        case _:
            known = {(it.status, behaviour_of(it, new.normalize)) for it in before}
            strange = [it for it in after if (it.status, behaviour_of(it, new.normalize)) not in known]
            if not strange:
                return None
            one, other = _first(before, strange[0].status), strange[0]
    return compare_runs(RunView(scenario=old, run=one), RunView(scenario=new, run=other))


def _that_missed(samples: Sequence[SampleResult], lost: Sequence[LostGate]) -> list[SampleResult]:
    gates = {(gate.step, gate.id) for gate in lost}
    return [it for it in samples if any(not e.passed and (e.step, e.id) in gates for e in it.evaluations)]


def _first(samples: Sequence[SampleResult], status: SampleStatus) -> SampleResult:
    """Return the first sample of the status, else the first of all."""
    return next((sample for sample in samples if sample.status is status), samples[0])
