"""report.md: the headline and the table of the PR comment, then every sample with its evidence.

Sections are composed here rather than in the template: the sandbox makes each look at an attribute dear, and there
may be ten thousand samples.
"""

from collections.abc import Iterator
from itertools import groupby

from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.reports.advice import advise
from agentlab_ci.reports.baseline_wording import baseline_lines, tell_state
from agentlab_ci.reports.comparison import fold_variants
from agentlab_ci.reports.entries import Entry, make_entries, name_samples
from agentlab_ci.reports.escape import code_span, inline
from agentlab_ci.reports.evidence import exhibits
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.markdown_parts import show_evaluation, show_exhibit, title_sample
from agentlab_ci.reports.reasons import explain_not_run, tell_end, tell_history
from agentlab_ci.reports.simulation import brief_of, is_simulation
from agentlab_ci.reports.table import make_table
from agentlab_ci.reports.templating import render
from agentlab_ci.reports.wording import count_passes, pass_lines, remarks, summary_line, verdict_sentence


def render_report(report: RunReport) -> str:
    """Render the whole of report.md."""
    table = make_table(report.scenarios)
    return render(
        "report.md.j2",
        report=report,
        headline=verdict_sentence(report, EMOJI, code_span),
        figures=(
            summary_line(report, EMOJI),
            *pass_lines(report, code_span),
            *baseline_lines(report, code_span),
            *advise(report, code_span),
        ),
        table=(table.head, *table.lines) if table.lines else (),
        notes=table.notes,
        variants=fold_variants(report.scenarios),
        sections=("\n\n".join(_blocks(row)) for row in report.scenarios),
    )


def _blocks(row: ScenarioResult) -> Iterator[str]:
    said = [*_titles(row), count_passes(row), *remarks(row), *tell_state(row, code_span)]
    yield f"### {EMOJI.of_scenario(row)} " + " · ".join(said)
    yield " · ".join(_facts(row))
    if row.skipped is not None:
        yield code_span(row.skipped)
        return
    yield from map(show_exhibit, brief_of(row))
    for entry in make_entries(row.samples, _told):
        yield from _sample_blocks(entry, always=is_simulation(row))
    for first, last in _missing(row):
        yield f"#### {EMOJI.unfinished} {name_samples(first, last, row.samples_wanted)} · not run"


def _titles(row: ScenarioResult) -> list[str]:
    """Return id and name, first the one by which people know the scenario."""
    name = [inline(row.name)] if row.name not in ("", row.scenario_id) else []
    return [*name, code_span(row.title)] if row.goes_by_name else [code_span(row.title), *name]


def _facts(row: ScenarioResult) -> Iterator[str]:
    yield row.type.value
    yield f"suite {code_span(row.suite)}"
    if row.agent is not None:
        yield f"agent {code_span(row.agent.label)} ({row.agent.provider.value})"
    if row.file is not None:
        yield code_span(f"{row.file}:{row.line}" if row.line else row.file)


def _told(sample: SampleResult) -> tuple[str, ...]:
    return (*tell_end(sample), *tell_history(sample))


def _sample_blocks(entry: Entry, *, always: bool) -> Iterator[str]:
    """Yield a sample's title, what is said of it, and its transcript unless it passed, or `always`."""
    sample = entry.samples[0]
    if sample.never_ran:
        name = name_samples(sample.sample, entry.samples[-1].sample, sample.of)
        yield f"#### {EMOJI.of_status(sample.status)} {name} · not run: {code_span(explain_not_run(sample))}"
        return
    yield f"#### {title_sample(sample)}"
    bullets = [*map(code_span, entry.lines), *map(show_evaluation, sample.evaluations)]
    if bullets:
        yield "\n".join(f"- {bullet}" for bullet in bullets)
    shown = always or sample.status is not SampleStatus.PASSED
    evidence = tuple(map(show_exhibit, exhibits(sample))) if shown else ()
    if evidence:
        yield from ("<details><summary>Transcript</summary>", *evidence, "</details>")


def _missing(row: ScenarioResult) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of each stretch of samples that have not ended."""
    ended = {sample.sample for sample in row.samples}
    missing = (number for number in range(1, row.samples_wanted + 1) if number not in ended)
    for _, stretch in groupby(enumerate(missing), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in stretch]
        yield numbers[0], numbers[-1]
