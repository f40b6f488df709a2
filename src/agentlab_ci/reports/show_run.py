"""A stored run as text that is safe on a terminal and in a CI log."""

from collections.abc import Iterable, Iterator

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.stored import StoredRun
from agentlab_ci.core.trace import Evaluation, Usage
from agentlab_ci.reports.columns import align_facts
from agentlab_ci.reports.escape import for_log, log_lines
from agentlab_ci.reports.evidence import Exhibit, exhibits
from agentlab_ci.reports.formatting import Glyphs, format_cost, format_duration, format_moment
from agentlab_ci.reports.listing import join
from agentlab_ci.reports.reasons import describe_evaluation, tell_end, tell_history
from agentlab_ci.reports.simulation import brief_of
from agentlab_ci.reports.variants import variants_of

Facts = Iterable[tuple[str, str | None]]


def run_lines(run: StoredRun, glyphs: Glyphs, *, approved_at: str | None = None) -> list[str]:
    """Return all that is known of a run: what it was, how it was judged, and what happened, in order."""
    sample = run.sample
    title = (sample.scenario_id, run.variant, f"sample {sample.sample}/{sample.of}", sample.status.value)
    lines = [f"{glyphs.of_status(sample.status)} {join(title, glyphs)}"]
    lines += align_facts(_facts(run, approved_at))
    for exhibit in brief_of(run.row):
        lines += [exhibit.title.lower(), *(f"  {line}" for line in log_lines(exhibit.text))]
    if sample.evaluations:
        lines += ["evaluations", *(f"  {_show_evaluation(it, glyphs)}" for it in sample.evaluations)]
    happened = [line for exhibit in exhibits(sample) for line in _show_exhibit(exhibit)]
    if happened:
        lines += ["what happened", *happened]
    return [for_log(line) for line in lines]


def _facts(run: StoredRun, approved_at: str | None) -> Facts:
    sample = run.sample
    yield "run", sample.run_id
    yield "batch", run.batch.batch_id
    if run.row is not None:
        yield from _facts_of_scenario(run.row)
    if sample.started_at is not None:
        yield "started", f"{format_moment(sample.started_at)}, took {format_duration(sample.duration_ms)}"
    for line in tell_history(sample):
        yield "before", line
    yield "ended", ": ".join(tell_end(sample)) or sample.termination_reason.value
    yield "score", None if sample.score is None else str(sample.score)
    yield "usage", ", ".join(count_usage(sample.usage)) or None
    yield "simulator", ", ".join(count_usage(sample.simulator_usage or Usage())) or None
    yield "judge", ", ".join(count_usage(sample.judge_usage or Usage())) or None
    yield "approved", None if approved_at is None else format_moment(approved_at)


def _facts_of_scenario(row: ScenarioResult) -> Facts:
    yield "scenario", row.name if row.name != row.scenario_id else None
    yield "file", None if row.file is None else f"{row.file}:{row.line}"
    if row.agent is not None:
        yield "agent", f"{row.agent.label} ({row.agent.url or row.agent.provider.value})"
    for variant in variants_of([row]):
        yield "variant", ", ".join(f"{name} {value}" for name, value in variant.known.items())


def count_usage(usage: Usage) -> Iterator[str]:
    """Yield what is known of tokens and cost."""
    if usage.input_tokens is not None:
        yield f"{usage.input_tokens} input tokens"
    if usage.output_tokens is not None:
        yield f"{usage.output_tokens} output tokens"
    if usage.cost_usd is not None:
        yield format_cost(usage.cost_usd)


def _show_evaluation(evaluation: Evaluation, glyphs: Glyphs) -> str:
    weight = f", weight {evaluation.weight:g}" if evaluation.weight != 1 else ""
    icon = glyphs.passed if evaluation.passed else glyphs.failed
    return f"{icon} {describe_evaluation(evaluation)}{weight}: {evaluation.message}"


def _show_exhibit(exhibit: Exhibit) -> Iterator[str]:
    at = "" if exhibit.at_ms is None else f"+{format_duration(exhibit.at_ms):<8}"
    yield f"  {at}{', '.join((exhibit.title, *exhibit.details))}"
    yield from (f"      {line}" for line in log_lines(exhibit.text))
