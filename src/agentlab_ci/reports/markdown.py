"""report.md: the headline and the table of the PR comment, then every sample with its evidence."""

from dataclasses import dataclass

from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.reports.escape import code_span
from agentlab_ci.reports.evidence import exhibits
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.markdown_parts import show_evaluation, show_exhibit, title_sample
from agentlab_ci.reports.reasons import tell_end, tell_history
from agentlab_ci.reports.table import TABLE_HEAD, table_row
from agentlab_ci.reports.templating import render
from agentlab_ci.reports.wording import count_passes, pass_lines, remarks, summary_line, verdict_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleView:
    """A sample as Markdown shows it; all of it is Markdown. `evidence` only where it did not pass.

    Composed here rather than in the template: the sandbox makes each look at an attribute dear, and there may be
    ten thousand samples.
    """

    title: str
    bullets: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioView:
    """A scenario as Markdown shows it; texts are not escaped yet. `missing` are samples that have not ended."""

    icon: str
    row: ScenarioResult
    counts: str
    remarks: tuple[str, ...]
    samples: tuple[SampleView, ...]
    missing: tuple[int, ...]


def render_report(report: RunReport) -> str:
    """Render the whole of report.md."""
    return render(
        "report.md.j2",
        report=report,
        glyphs=EMOJI,
        headline=verdict_sentence(report, EMOJI, code_span),
        figures=(summary_line(report, EMOJI), *pass_lines(report, code_span)),
        table=(TABLE_HEAD, *map(table_row, report.scenarios)),
        scenarios=[_view_scenario(row) for row in report.scenarios],
    )


def _view_scenario(row: ScenarioResult) -> ScenarioView:
    ended = {sample.sample for sample in row.samples}
    wanted = () if row.skipped is not None else range(1, row.samples_wanted + 1)
    return ScenarioView(
        icon=EMOJI.of_scenario(row),
        row=row,
        counts=count_passes(row),
        remarks=remarks(row),
        samples=tuple(_view_sample(sample) for sample in row.samples),
        missing=tuple(number for number in wanted if number not in ended),
    )


def _view_sample(sample: SampleResult) -> SampleView:
    told = tuple(code_span(line) for line in (*tell_end(sample), *tell_history(sample)))
    passed = sample.status is SampleStatus.PASSED
    return SampleView(
        title=title_sample(sample),
        bullets=told + tuple(show_evaluation(evaluation) for evaluation in sample.evaluations),
        evidence=() if passed else tuple(show_exhibit(it) for it in exhibits(sample)),
    )
