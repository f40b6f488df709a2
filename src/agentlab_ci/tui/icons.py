"""The icons of rows and samples, finished or not, and the words for how far a sample is."""

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.tui.state import Phase, RowView, SampleView
from agentlab_ci.tui.tones import Span, Tone, marks_for, tone_of_sample, tone_of_scenario


def icon_of_scenario(row: RowView, glyphs: Glyphs) -> Span:
    """Return the icon that every report gives the scenario, by the one verdict function."""
    running = any(sample.phase is not Phase.NOT_STARTED for sample in row.samples)
    return Span(glyphs.of_scenario(row.result), tone_of_scenario(row.result, running=running))


def icon_of_sample(row: ScenarioResult, sample: SampleView, glyphs: Glyphs) -> Span:
    """Return the report's icon of a sample that has ended, else the sign for how far it is."""
    marks = marks_for(glyphs)
    if sample.result is not None:
        return Span(glyphs.of_status(sample.result.status), tone_of_sample(row, sample.result))
    match sample.phase:
        case Phase.RUNNING:
            return Span(marks.running, Tone.RUNNING)
        case Phase.WAITING:
            return Span(marks.waiting, Tone.TOLERATED)
        case _:
            return Span(marks.not_started, Tone.DIM)


def tell_phase(sample: SampleView) -> str:
    """Say how far a sample is, or how it ended."""
    if sample.result is not None:
        return sample.result.status.value
    if sample.wait is not None:
        return f"waiting {sample.wait.seconds:g} s ({sample.wait.status}, try {sample.wait.attempt})"
    return sample.phase.value
