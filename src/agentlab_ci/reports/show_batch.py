"""A stored batch, or what it holds of one scenario, as text that is safe on a terminal and in a CI log."""

from collections.abc import Iterable, Sequence

from agentlab_ci.core.results import BatchFacts, RowKey, RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import Approval, BatchRef, RunRef, UnendedBatch
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.columns import align, align_facts
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.formatting import Glyphs, format_cost, format_duration, format_moment
from agentlab_ci.reports.listing import RUNS, join
from agentlab_ci.reports.log import LogStyle, closing
from agentlab_ci.reports.reasons import explain_scenario
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.show_run import Facts
from agentlab_ci.reports.wording import count_passes, name_row, remarks

_LONGEST_REASON = 200
_SCENARIOS = ("", "PASSED", "NEEDS", "SCENARIO")


def batch_lines(report: RunReport, glyphs: Glyphs, approvals: Iterable[Approval] = ()) -> list[str]:
    """Return a batch that ended: what it was, a line for each scenario and each run, and the end of its log."""
    runs = [(row.key, sample) for row in report.scenarios for sample in row.samples]
    facts = [*_facts(report), *_facts_of_end(report), *_facts_of_approvals(approvals)]
    return _separate(
        [_head(report, report.summary.verdict.value, glyphs), *align_facts(facts)],
        _scenario_table(report.scenarios, glyphs),
        _run_table(runs, glyphs),
        closing(report, style=LogStyle(glyphs=glyphs)),
    )


def unended_lines(batch: UnendedBatch, glyphs: Glyphs) -> list[str]:
    """Return a batch that has no end, as far as it is stored."""
    runs = [(key, sample) for key, samples in batch.samples.items() for sample in samples]
    statuses = [sample.status for _, sample in runs]
    counts = [f"{statuses.count(status)} {status.value}" for status in SampleStatus if status in statuses]
    stored = f"{plural(len(runs), 'sample')} stored"
    return _separate(
        [
            _head(batch.facts, "did not end: it still runs, or was killed", glyphs),
            *align_facts(_facts(batch.facts)),
        ],
        _run_table(runs, glyphs),
        [": ".join(filter(None, [stored, ", ".join(counts)]))],
    )


def scenario_lines(row: ScenarioResult, glyphs: Glyphs) -> list[str]:
    """Return how a scenario stands, in one line, and why in the next."""
    title = (name_row(row, glyphs), count_passes(row), *remarks(row))
    return [for_log(f"{glyphs.of_scenario(row)} {join(title, glyphs)}"), *_why(row)]


def _separate(*blocks: list[str]) -> list[str]:
    """Return the blocks that are not empty, a blank line between them."""
    return [line for block in blocks if block for line in ("", *block)][1:]


def _head(facts: BatchFacts, ended: str, glyphs: Glyphs) -> str:
    return for_log(join((facts.batch_id, ended), glyphs))


def _facts(facts: BatchFacts) -> Facts:
    sampling, source = facts.sampling, facts.source
    yield "started", format_moment(facts.started_at)
    yield "by", facts.tool
    yield "sampling", f"{plural(sampling.samples, 'sample')}, pass rate {sampling.pass_rate}"
    yield "commit", source.commit
    yield "ref", source.ref
    yield "pull request", None if source.pull_request is None else str(source.pull_request)
    yield "CI run", source.run_url


def _facts_of_end(report: RunReport) -> Facts:
    summary = report.summary
    yield "took", format_duration(summary.duration_ms)
    yield "agents", ", ".join(dict.fromkeys(row.agent.label for row in report.scenarios if row.agent)) or None
    yield "cost", None if summary.cost_usd is None else format_cost(summary.cost_usd)
    played = summary.simulation_cost_usd
    yield "simulation", None if played is None else f"{format_cost(played)} for simulator and judge"
    yield "exit code", str(int(summary.exit_code))


def _facts_of_approvals(approvals: Iterable[Approval]) -> Facts:
    for approval in approvals:
        match approval.reference:
            case BatchRef(scenario_id=None):
                what = ""
            case BatchRef(scenario_id=scenario_id):
                what = f": {scenario_id}"
            case RunRef(run_id=run_id):
                what = f": {run_id}"
        yield "approved", format_moment(approval.approved_at) + what


def _scenario_table(rows: Sequence[ScenarioResult], glyphs: Glyphs) -> list[str]:
    header, *lines = align(_SCENARIOS, [_scenario_row(row, glyphs) for row in rows])
    told = [line for row, first in zip(rows, lines, strict=True) for line in (first, *_why(row))]
    return [header, *told] if told else []


def _scenario_row(row: ScenarioResult, glyphs: Glyphs) -> tuple[str, ...]:
    skipped = row.verdict is Verdict.SKIPPED
    return (
        glyphs.of_scenario(row),
        "skipped" if skipped else f"{row.passed}/{row.samples_wanted}",
        "" if skipped else str(row.needed),
        join((name_row(row, glyphs), *remarks(row)), glyphs),
    )


def _why(row: ScenarioResult) -> list[str]:
    reason = explain_scenario(row)
    return [for_log(f"      {cut(reason, _LONGEST_REASON)}")] if reason else []


def _run_table(samples: Iterable[tuple[RowKey, SampleResult]], glyphs: Glyphs) -> list[str]:
    runs = [(key, sample, sample.run_id) for key, sample in samples if sample.run_id is not None]
    rows = [
        (
            run_id,
            sample.status.value,
            format_duration(sample.duration_ms),
            f"{sample.sample}/{sample.of}",
            join((scenario_id, variant), glyphs),
        )
        for (variant, scenario_id), sample, run_id in runs
    ]
    return align(RUNS, rows) if rows else []
