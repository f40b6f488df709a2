"""report.md: the headline and the table of the PR comment, then every sample with its evidence."""

from dataclasses import dataclass

from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.reports.escape import code_span, fenced
from agentlab_ci.reports.evidence import Exhibit, exhibits
from agentlab_ci.reports.formatting import EMOJI, format_duration
from agentlab_ci.reports.reasons import explain_scenario, tell_end, tell_history
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.templating import render
from agentlab_ci.reports.wording import count_passes, pass_lines, remarks, summary_line, verdict_sentence

_LONGEST_REASON = 200


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
    """A scenario as Markdown shows it; texts are not escaped yet. `marks` has one icon for each sample."""

    icon: str
    row: ScenarioResult
    marks: str
    counts: str
    remarks: tuple[str, ...]
    reason: str
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
        scenarios=[view_scenario(row) for row in report.scenarios],
    )


def view_scenario(row: ScenarioResult) -> ScenarioView:
    """Prepare a scenario for a template."""
    ended = {sample.sample: EMOJI.of_status(sample.status) for sample in row.samples}
    wanted = () if row.skipped is not None else tuple(range(1, row.samples_wanted + 1))
    return ScenarioView(
        icon=EMOJI.of_scenario(row),
        row=row,
        marks="".join(ended.get(number, EMOJI.unfinished) for number in wanted),
        counts=count_passes(row),
        remarks=remarks(row),
        reason=cut(explain_scenario(row), _LONGEST_REASON),
        samples=tuple(_view_sample(sample) for sample in row.samples),
        missing=tuple(number for number in wanted if number not in ended),
    )


def _view_sample(sample: SampleResult) -> SampleView:
    title = [f"{EMOJI.of_status(sample.status)} sample {sample.sample}/{sample.of}", sample.status.value]
    title += [format_duration(sample.duration_ms)] if sample.run_id is not None else []
    title += [f"score {sample.score}"] if sample.score is not None else []
    title += [code_span(sample.run_id)] if sample.run_id is not None else []
    told = tuple(code_span(line) for line in (*tell_end(sample), *tell_history(sample)))
    passed = sample.status is SampleStatus.PASSED
    return SampleView(
        title=" · ".join(title),
        bullets=told + tuple(_judged(evaluation) for evaluation in sample.evaluations),
        evidence=() if passed else tuple(_show(it) for it in exhibits(sample)),
    )


def _show(exhibit: Exhibit) -> str:
    label = " · ".join([f"**{exhibit.title}**", *(code_span(detail) for detail in exhibit.details)])
    return f"{label}\n\n{fenced(exhibit.text, 'text')}"


def _judged(evaluation: Evaluation) -> str:
    icon = EMOJI.passed if evaluation.passed else EMOJI.failed
    step = "" if evaluation.step is None else f"step {evaluation.step} "
    name = f"{step}{code_span(evaluation.id)} ({evaluation.mode.value})"
    return f"{icon} {name}: {code_span(evaluation.message)}"
