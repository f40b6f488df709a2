"""A thousand random runs, told in any order: the live view says of them what the log and the exit code say."""

import re
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.errors import ExitCode
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.log import LogStyle, closing, scenario_section
from agentlab_ci.reports.wording import pass_lines, summary_line
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.header import tell_header
from agentlab_ci.tui.icons import icon_of_sample, icon_of_scenario
from agentlab_ci.tui.state import LiveState
from agentlab_ci.tui.tones import Tone
from integration.test_surfaces_agree import Run, report_of, streams
from live_run import facts_of


def tell_in_any_order(report: RunReport, feed: Feed, random: Random) -> None:
    """Tell of a run as an engine does: samples end in any order, some of them a second time."""
    feed.planned([facts_of(row) for row in report.scenarios])
    ends = [(row, sample) for row in report.scenarios for sample in row.samples]
    random.shuffle(ends)
    left = {row.key: len(row.samples) for row in report.scenarios}
    for row, sample in ends:
        if sample.run_id is not None:
            feed.sample_started(facts_of(row), sample.sample, sample.run_id)
        if random.random() < 0.2:
            feed.sample_ended(facts_of(row), _first_told_as(sample))
        feed.sample_ended(facts_of(row), sample)
        left[row.key] -= 1
        if not left[row.key] and random.random() < 0.8:
            feed.scenario_complete(row)


def _first_told_as(sample: SampleResult) -> SampleResult:
    reason = TerminationReason.HTTP_CONNECTION_FAILED
    return sample.model_copy(update={"status": SampleStatus.ERROR, "termination_reason": reason})


def drained(feed: Feed, state: LiveState, random: Random) -> LiveState:
    """Take in all that was told, in ticks of any length."""
    while events := feed.drain(random.randint(1, 9)):
        for event in events:
            state.apply(event)
        state.take_changed()
        tell_header(state, TEXT, elapsed=0, width=80)  # what a tick shows may not be what a later one still shows
    return state


@given(run=streams(), random=st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None, max_examples=1000)
def test_icons_counts_and_lines_are_those_of_log_report_and_exit_code(run: Run, random: Random) -> None:
    report = regate(report_of(run), require_finished=run.require_finished, fail_on=run.fail_on)
    feed = Feed()
    tell_in_any_order(report, feed, random)
    state = drained(feed, LiveState(), random)
    check(state, report)
    below = {row.key for row in state.rows if row.result.gate and icon_of_scenario(row, TEXT).tone is Tone.BELOW}
    assert (report.summary.exit_code is ExitCode.BELOW_BAR) == (bool(below) and run.fail_on is not FailOn.NEVER)

    feed.finished(report)
    drained(feed, state, random)
    check(state, report)
    sentence = closing(report, style=LogStyle(glyphs=TEXT))[-1]
    told = [line.plain for line in tell_header(state, TEXT, elapsed=0, width=10_000)]
    assert told[-1] == sentence


def check(state: LiveState, report: RunReport) -> None:
    assert tuple(row.result for row in state.rows) == report.scenarios
    for row, judged in zip(state.rows, report.scenarios, strict=True):
        assert scenario_section(judged, style=LogStyle(glyphs=TEXT))[0].startswith(
            icon_of_scenario(row, TEXT).text
        )
        check_samples(state, row.number, judged)
    counts, summary = state.counts, report.summary
    samples = (counts.passed, counts.failed, counts.errors, counts.cancelled)
    assert samples == (
        summary.samples.passed,
        summary.samples.failed,
        summary.samples.error,
        summary.samples.cancelled,
    )
    assert counts.scenarios_failed + counts.scenarios_not_judged == summary.scenarios.failed
    assert state.pass_lines == pass_lines(report, str)
    head = "\n".join(line.plain for line in tell_header(state, TEXT, elapsed=0, width=10_000))
    if state.sampled and summary.scenarios.failed:
        wrong = re.findall(r"\d+/\d+ (?:scenarios? )?(?:failed|could not be judged)", summary_line(report, TEXT))
        assert f" {TEXT.dot} ".join(wrong) in head


def check_samples(state: LiveState, number: int, judged: ScenarioResult) -> None:
    row = state.rows[number - 1]
    icons = {sample.number: icon_of_sample(row.result, sample, TEXT) for sample in row.samples}
    assert {sample.sample: TEXT.of_status(sample.status) for sample in judged.samples} == {
        sample.number: icons[sample.number].text for sample in row.samples if sample.result is not None
    }
    assert (Tone.BELOW in {icon.tone for icon in icons.values()}) == judged.below_bar
