"""What the page's script shows on demand: a scenario's facts and each of its samples, as lists that mean nothing.

Lists without keys: the page searches this text, and a search for `text` is not to find every scenario.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import to_json as dump

from agentlab_ci.core.estimates import wilson
from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.trace import Evaluation, Usage
from agentlab_ci.reports.baseline_wording import tell_state
from agentlab_ci.reports.escape import printable, printable_block
from agentlab_ci.reports.evidence import Exhibit, exhibits, to_json
from agentlab_ci.reports.formatting import TEXT, format_cost, format_duration, format_moment
from agentlab_ci.reports.reasons import deciding_score, describe_evaluation, tell_end, tell_history
from agentlab_ci.reports.simulation import brief_of
from agentlab_ci.reports.variants import variants_of
from agentlab_ci.reports.wording import count_passes, remarks

LEFT_OUT = "The transcript is left out: there is too much of them for one page. results.json has it."
_CALL = "tool call"
_SHORT = 60
"""Characters of JSON that stay in one line."""

Fact = tuple[str, str]


def scenario_data(row: ScenarioResult, keeps: dict[SampleStatus, bool]) -> bytes:
    """Return facts, brief and samples as JSON in UTF-8, in which no markup can end or begin.

    `keeps` says of each status whether its transcripts are shown.
    """
    brief = [(exhibit.title, printable_block(exhibit.text)) for exhibit in brief_of(row)]
    samples = [sample_data(sample, keeps=keeps[sample.status]) for sample in row.samples]
    facts = list(facts_of_scenario(row))
    return dump((facts, brief, samples)).replace(b"<", b"\\u003c")


def facts_of_scenario(row: ScenarioResult) -> Iterator[Fact]:
    """Yield what is told of a scenario beside its samples, safe but for HTML's own signs."""
    return ((name, printable(said)) for name, said in _facts(row))


def _facts(row: ScenarioResult) -> Iterator[Fact]:
    yield "scenario", row.scenario_id
    if row.name not in ("", row.scenario_id):
        yield "name", row.name
    yield "verdict", " · ".join([count_passes(row), *remarks(row)])
    if row.skipped is not None:
        yield "reason", row.skipped
    n = row.samples_wanted - row.unfinished
    interval = wilson(row.passed, n)
    if interval is not None and not row.agent_given_up:
        yield "pass rate", f"{row.passed / n:.2f}, 95 % interval {interval.low:.2f} to {interval.high:.2f}"
    yield from (("baseline", state) for state in tell_state(row, str))
    yield "type", row.type.value
    yield "suite", row.suite
    if row.tags:
        yield "tags", ", ".join(row.tags)
    if row.agent is not None:
        yield "agent", f"{row.agent.label} ({row.agent.url or row.agent.provider.value})"
    for variant in variants_of([row]):
        told = ", ".join(f"{name} {value}" for name, value in variant.known.items() if name != "agent")
        yield "variant", ": ".join(part for part in (variant.label, told) if part)
    if row.file is not None:
        yield "file", f"{row.file}:{row.line}" if row.line else row.file


def sample_data(sample: SampleResult, *, keeps: bool) -> Sequence[Any]:
    """Return number, name, status, glyph, facts, how it ended, evaluations, and what happened; safe like those."""
    shown = [_exhibit(exhibit) for exhibit in exhibits(sample)] if keeps else [_note(LEFT_OUT)]
    return (
        sample.sample,
        f"sample {sample.sample} of {sample.of}, {sample.status.value}",
        sample.status.value,
        TEXT.of_status(sample.status),
        [(name, printable(said)) for name, said in _facts_of_sample(sample)],
        [printable(line) for line in (*tell_end(sample), *tell_history(sample))],
        [_evaluation(evaluation) for evaluation in sample.evaluations],
        shown,
    )


def _facts_of_sample(sample: SampleResult) -> Iterator[Fact]:
    score = deciding_score(sample)
    if not sample.never_ran:
        yield "took", format_duration(sample.duration_ms)
    if score is not None:
        yield "score", str(score)
    models = (("usage", sample.usage), ("simulator", sample.simulator_usage), ("judge", sample.judge_usage))
    for name, usage in models:
        told = "" if usage is None else ", ".join(_count(usage))
        if told:
            yield name, told
    if sample.started_at is not None:
        yield "started", format_moment(sample.started_at)
    if sample.run_id is not None:
        yield "run", sample.run_id


def _count(usage: Usage) -> Iterator[str]:
    if usage.cost_usd is not None:
        yield format_cost(usage.cost_usd)
    if usage.input_tokens is not None:
        yield f"{usage.input_tokens} input tokens"
    if usage.output_tokens is not None:
        yield f"{usage.output_tokens} output tokens"


def _evaluation(evaluation: Evaluation) -> Sequence[object]:
    status = SampleStatus.PASSED if evaluation.passed else SampleStatus.FAILED
    weight = f", weight {evaluation.weight:g}" if evaluation.weight != 1 else ""
    name = printable(describe_evaluation(evaluation)) + weight
    return status.value, TEXT.of_status(status), name, printable_block(evaluation.message)


def _note(text: str) -> Sequence[object]:
    return "note", "note", (), "", [("", text)]


def _exhibit(exhibit: Exhibit) -> Sequence[object]:
    """Return the kind for the stylesheet, the title, details, when it happened, and (name, text) pairs."""
    details = tuple(map(printable, exhibit.details))
    at = "" if exhibit.at_ms is None else f"+{format_duration(exhibit.at_ms)}"
    if exhibit.title != _CALL:
        return exhibit.title, exhibit.title, details, at, [("", printable_block(exhibit.text))]
    # The input is an object, written in one line; whatever follows is what came back.
    lines = exhibit.text.split("\n", 1)
    parts = (line.partition(": ") for line in lines)
    return "call", exhibit.title, details, at, [(name, printable_block(_spread(text))) for name, _, text in parts]


def _spread(text: str) -> str:
    """Write longer JSON over several lines; what would not stay the same, as a tool's own text, is left alone."""
    if len(text) <= _SHORT or text[0] not in "{[":
        return text
    try:
        value = json.loads(text)
        return json.dumps(value, ensure_ascii=False, indent=2) if to_json(value) == text else text
    except (ValueError, RecursionError):
        return text
