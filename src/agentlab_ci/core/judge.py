"""From samples to verdicts: judge a scenario, add up a run, count pass@k, judge stored samples again."""

from collections.abc import Iterable
from dataclasses import dataclass

from agentlab_ci.core.baseline import Baseline, BaselineSource, BaselineState
from agentlab_ci.core.gate import FailOn, decide_exit_code
from agentlab_ci.core.results import (
    BatchFacts,
    PassShare,
    RunReport,
    SampleCounts,
    SampleResult,
    ScenarioCounts,
    ScenarioFacts,
    ScenarioResult,
    Summary,
)
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.sampling import PassRate, needed
from agentlab_ci.core.stats import PassCounts, count_passes
from agentlab_ci.core.trace import Usage
from agentlab_ci.core.verdict import Verdict, label, run_verdict, verdict
from agentlab_ci.errors import ExitCode


def judge_scenario(facts: ScenarioFacts, samples: Iterable[SampleResult]) -> ScenarioResult:
    """Judge a scenario by the samples that have ended; those still missing count as unfinished."""
    ended = tuple(sorted(samples, key=lambda sample: sample.sample))
    bar = needed(facts.samples_wanted, facts.pass_rate)
    passed = sum(sample.status is SampleStatus.PASSED for sample in ended)
    unfinished = facts.samples_wanted - sum(sample.status.finished for sample in ended)
    result = ScenarioResult(
        **dict(facts) | {"baseline": None},
        verdict=(
            Verdict.SKIPPED
            if facts.skipped is not None
            else verdict(passed=passed, unfinished=unfinished, needed=bar)
        ),
        passed=passed,
        needed=bar,
        label=label((sample.status for sample in ended), samples=facts.samples_wanted),
        samples=ended,
    )
    if facts.baseline is None:
        return result
    from agentlab_ci.core.compare_baseline import compare_with_baseline  # noqa: PLC0415 - few runs have one

    return result.model_copy(update={"baseline": compare_with_baseline(result, facts.baseline)})


def _stands_alone(row: ScenarioResult) -> bool:
    """Tell whether nobody can say if the scenario got worse: the baseline has it not, or in other terms."""
    state = None if row.baseline is None else row.baseline.state
    return state is BaselineState.NOT_COMPARABLE or (state is BaselineState.NEW and row.below_bar)


def build_report(
    facts: BatchFacts,
    scenarios: Iterable[ScenarioResult],
    *,
    duration_ms: float,
    require_finished: bool = False,
    fail_on: FailOn = FailOn.BELOW_BAR,
    ended_by: ExitCode | None = None,
) -> RunReport:
    """Add up judged scenarios, which come in YAML order, into the report of the run.

    Where nothing was judged, because there was nothing or all of it was skipped, the run itself counts as skipped.
    One of another tool that has broken off, or that is in doubt, is unfinished, unless it failed.
    """
    rows = tuple(scenarios)
    judged = [row for row in rows if row.verdict is not Verdict.SKIPPED]
    gating = [row.verdict for row in judged if row.gate]
    broken_off = has_broken_off(facts, rows)
    doubted = facts.imported is not None and facts.imported.doubt is not None
    groups = [(group.variant, group.counts) for group in pass_groups(rows) if group.counts is not None]
    samples = [sample for row in rows for sample in row.samples]
    summary = Summary(
        verdict=_verdict_of_run(gating, judged=bool(judged), broken_off=broken_off or doubted),
        exit_code=decide_exit_code(
            gating,
            judged=len(judged),
            decided=any(row.verdict is not Verdict.UNFINISHED for row in judged) or not judged,
            not_judged=sum(row.gate and (row.could_not_be_judged or _stands_alone(row)) for row in judged),
            regressed=any(row.gate and row.regressed for row in judged),
            require_finished=require_finished,
            fail_on=fail_on,
            broken_off=broken_off or (doubted and require_finished),
            ended_by=ended_by,
        ),
        scenarios=_count_scenarios(rows),
        samples=SampleCounts(**{status.value: sum(row.count(status) for row in rows) for status in SampleStatus}),
        pass_at_k=tuple(PassShare(k=c.k, passed=c.at_least_once, of=c.of, variant=v) for v, c in groups),
        pass_hat_k=tuple(PassShare(k=c.k, passed=c.every_time, of=c.of, variant=v) for v, c in groups),
        cost_usd=_add_costs(sample.usage for sample in samples),
        simulation_cost_usd=_add_costs(u for s in samples for u in (s.simulator_usage, s.judge_usage) if u),
        duration_ms=duration_ms,
    )
    return RunReport(**dict(facts), summary=summary, scenarios=rows)


def has_broken_off(facts: BatchFacts, scenarios: Iterable[ScenarioResult]) -> bool:
    """Tell whether another tool's run will never come to samples that gate, or has nothing at all to judge.

    Which samples those are need not be known: a run in doubt lacks some.
    """
    if facts.imported is None:
        return False
    judged = [row for row in scenarios if row.verdict is not Verdict.SKIPPED]
    unfinished = any(row.gate and row.unfinished for row in judged)
    return not judged or (facts.imported.failed and (unfinished or facts.imported.doubt is not None))


def _verdict_of_run(gating: list[Verdict], *, judged: bool, broken_off: bool) -> Verdict:
    if not judged:
        return Verdict.UNFINISHED if broken_off else Verdict.SKIPPED
    verdict_of_all = run_verdict(gating)
    return Verdict.UNFINISHED if broken_off and verdict_of_all is Verdict.PASSED else verdict_of_all


@dataclass(frozen=True, slots=True, kw_only=True)
class PassGroup:
    """The scenarios of one variant and one k > 1, over which pass@k and pass^k are counted.

    `counts` is None when no scenario qualifies, and when some stopped early: the others would mislead.
    """

    variant: str | None
    k: int
    stopped_early: int
    counts: PassCounts | None


def pass_groups(scenarios: Iterable[ScenarioResult]) -> tuple[PassGroup, ...]:
    """Group judged scenarios by variant and k, in order of first appearance, and count each group."""
    grouped: dict[tuple[str | None, int], list[ScenarioResult]] = {}
    for row in scenarios:
        if row.verdict is not Verdict.SKIPPED and row.samples_wanted > 1:
            grouped.setdefault((row.key[0], row.samples_wanted), []).append(row)
    return tuple(_pass_group(variant, k, rows) for (variant, k), rows in grouped.items())


def _pass_group(variant: str | None, k: int, rows: list[ScenarioResult]) -> PassGroup:
    stopped_early = sum(row.stopped_early for row in rows)
    reached = [row for row in rows if not row.agent_given_up]
    counts = None if stopped_early else count_passes([[s.status for s in row.samples] for row in reached], k=k)
    return PassGroup(variant=variant, k=k, stopped_early=stopped_early, counts=counts)


def regate(
    report: RunReport,
    *,
    pass_rate: PassRate | None = None,
    baseline: Baseline | None = None,
    require_finished: bool = False,
    fail_on: FailOn = FailOn.BELOW_BAR,
) -> RunReport:
    """Judge stored samples again, against `pass_rate` and `baseline` where they are given.

    Results do not say which scenarios there are, only which ran: of a new baseline, gone is what was gone for the
    run already.
    """
    scenarios = [judge_scenario(_facts_of(row, pass_rate, baseline), row.samples) for row in report.scenarios]
    known = {name: getattr(report, name) for name in BatchFacts.model_fields} | (report.model_extra or {})
    if pass_rate is not None:
        known["sampling"] = report.sampling.model_copy(update={"pass_rate": pass_rate})
    if baseline is not None:
        gone = report.baseline.vanished if report.baseline else ()
        vanished = tuple(it for it in gone if it.key in baseline.approved)
        known["baseline"] = BaselineSource(file=baseline.file, vanished=vanished)
    rebuilt = build_report(
        BatchFacts(**known),
        scenarios,
        duration_ms=report.summary.duration_ms,
        require_finished=require_finished,
        fail_on=fail_on,
    )
    summary = rebuilt.summary.model_copy(update=report.summary.model_extra)
    return rebuilt.model_copy(update={"summary": summary})


def _facts_of(row: ScenarioResult, pass_rate: PassRate | None, baseline: Baseline | None) -> ScenarioFacts:
    known = {name: getattr(row, name) for name in ScenarioFacts.model_fields} | (row.model_extra or {})
    if pass_rate is not None:
        known["pass_rate"] = pass_rate
    if baseline is not None:
        known["baseline"] = baseline.facts_of(row.key)
    return ScenarioFacts(**known)


def _add_costs(usages: Iterable[Usage]) -> float | None:
    """Add up what is known; None where nothing is."""
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return sum(costs) if costs else None


def _count_scenarios(rows: tuple[ScenarioResult, ...]) -> ScenarioCounts:
    verdicts = [row.verdict for row in rows]
    return ScenarioCounts(
        total=len(verdicts) - verdicts.count(Verdict.SKIPPED),
        passed=verdicts.count(Verdict.PASSED),
        failed=verdicts.count(Verdict.FAILED),
        unfinished=verdicts.count(Verdict.UNFINISHED),
        skipped=verdicts.count(Verdict.SKIPPED),
    )
