"""What details and header say, line by line, of every report there is."""

from unicodedata import category

import pytest

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Redraw, Wait
from agentlab_ci.reports.formatting import ASCII, TEXT, Glyphs
from agentlab_ci.reports.wording import pass_lines
from agentlab_ci.tui.detail import Detail, tell_sample, tell_scenario
from agentlab_ci.tui.header import tell_elapsed, tell_header
from agentlab_ci.tui.state import Phase, RowView, SampleView, state_of
from agentlab_ci.tui.tones import Span, Tone, to_text
from canned import CANNED_REPORTS, hostile_simulation, scenario
from factories import make_report, make_row
from hostile import HOSTILE_TEXTS

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def details_of(row: RowView) -> list[Detail]:
    """Return every detail that a row has."""
    samples = [tell_sample(row, sample, TEXT, calls=True) for sample in row.samples]
    return [tell_scenario(row, TEXT), tell_scenario(row, TEXT, calls=True), *samples]


def spans_of(detail: Detail) -> list[Span]:
    """Return all pieces of a detail."""
    return [*detail.title, *(span for line in detail.lines for span in line.spans)]


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_every_report_can_be_told_in_printable_lines(name: str) -> None:
    state = state_of(CANNED_REPORTS[name])
    for row in state.rows:
        for detail in details_of(row):
            assert not [it for span in spans_of(detail) for it in span.text if category(it) in UNSEEN]


def test_a_hostile_brief_and_reason_are_printable_too() -> None:
    rows = [hostile_simulation(number, text) for number, text in enumerate(HOSTILE_TEXTS)]
    for row in state_of(make_report(*rows)).rows:
        for detail in details_of(row):
            assert not [it for span in spans_of(detail) for it in span.text if category(it) in UNSEEN]
            assert not [it for it in detail.plain if category(it) in UNSEEN and it != "\n"]


def test_only_what_keeps_a_scenario_below_its_bar_is_red() -> None:
    state = state_of(
        make_report(
            make_row("pfp", "a.tolerated"),
            make_row("ffp", "a.failed"),
            make_row("fee", "a.errors", pass_rate="0.5"),
        )
    )
    tones = {
        row.result.scenario_id: [tell_sample(row, sample, TEXT).title[0].tone for sample in row.samples]
        for row in state.rows
    }
    assert tones == {
        "a.tolerated": [Tone.PASSED, Tone.TOLERATED, Tone.PASSED],
        "a.failed": [Tone.BELOW, Tone.BELOW, Tone.PASSED],
        "a.errors": [Tone.TOLERATED, Tone.BELOW, Tone.BELOW],
    }


def test_a_sample_tells_what_it_waited_for_and_what_was_tried_before() -> None:
    row = scenario("pfp", "a.b")
    again = Redraw(reason=TerminationReason.HTTP_ERROR, message="the agent answered HTTP 502", seconds=0.5)
    ended: SampleResult = row.samples[0].model_copy(
        update={"redraws": (again,), "waits": (Wait(seconds=12, status=429, attempt=1),)}
    )
    report = make_report(row.model_copy(update={"samples": (ended, *row.samples[1:])}))
    (view,) = state_of(report).rows
    assert tell_sample(view, view.samples[0], TEXT).plain.splitlines() == [
        "✓ B (sample 1/3)",
        "  waited 12.0s: HTTP 429",
        "  tried again after: http_error: the agent answered HTTP 502",
        "",
        "  run       run_1",
        "  started   2026-04-07 00:12:34 UTC",
        "  took      1.1s",
        "  ended     completed",
        "  score     100",
        "",
        "Evaluations",
        '  ✓ step 1 greets (weighted): found "hello"',
        '  ✓ step 2 names-tracking (hard_gate): found "tracking"',
        "",
        "Transcript",
        "  user   Hello",
        "  agent  Hello! How can I help?  0.3s",
        "  user   Where is my order?",
        "  agent  It has shipped. Tracking: 1Z999.  0.4s",
    ]


def test_a_sample_that_runs_or_waits_says_so() -> None:
    (row,) = state_of(make_report(make_row("...", "a.b", name="Later"))).rows
    runs = SampleView(2, 3, Phase.RUNNING, run_id="run_2")
    assert tell_sample(row, runs, TEXT).plain == "● Later (sample 2/3)\nrunning\n  run       run_2"
    waits = SampleView(2, 3, Phase.WAITING, run_id="run_2", wait=Wait(seconds=3, status=503, attempt=1))
    assert "waiting 3 s (503, try 1)" in tell_sample(row, waits, ASCII).plain


@pytest.mark.parametrize("name", CANNED_REPORTS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_header_has_the_pass_lines_of_the_log(name: str, width: int) -> None:
    report = CANNED_REPORTS[name]
    told = "\n".join(line.plain for line in tell_header(state_of(report), TEXT, elapsed=41.2, width=width))
    for line in pass_lines(report, str)[:4]:
        assert line in told
    more = len(pass_lines(report, str)) - 4
    assert (f"and {more} more" in told) is (more > 0)


def test_the_header_of_a_run_that_broke_off_says_so() -> None:
    state = state_of(make_report(make_row("ppp")))
    state.report = None
    assert [line.plain for line in tell_header(state, TEXT, elapsed=61.9, width=80)][-1] == "the run broke off"


@pytest.mark.parametrize("width", [1, 2, 20, 60, 100])
@pytest.mark.parametrize(("glyphs", "ellipsis"), [(TEXT, "…"), (ASCII, "..")])
def test_a_verdict_that_is_cut_says_so(glyphs: Glyphs, ellipsis: str, width: int) -> None:
    state = state_of(make_report(*(make_row("fff", f"support.number-{number}") for number in range(9))))
    assert tell_header(state, glyphs, elapsed=0, width=width)[-1].plain.endswith(ellipsis)
    whole = tell_header(state, glyphs, elapsed=0, width=1000)[-1].plain
    assert whole.endswith("support.number-8")


def test_the_header_of_a_batch_without_an_end_says_so_above_the_verdict() -> None:
    state = state_of(make_report(make_row("p..")), unended=True)
    told = [line.plain for line in tell_header(state, TEXT, elapsed=0, width=80)]
    assert told[-2] == "did not end: it still runs, or was killed"


def test_a_time_that_nobody_knows_is_left_out() -> None:
    row = make_row("p", "a.b")
    untimed = row.samples[0].model_copy(update={"started_at": None, "duration_ms": 0})
    (view,) = state_of(make_report(row.model_copy(update={"samples": (untimed,)}))).rows
    told = tell_scenario(view, TEXT).plain + tell_sample(view, view.samples[0], TEXT).plain
    assert "0ms" not in told
    assert "took" not in told


@pytest.mark.parametrize(("seconds", "told"), [(0, "0s"), (59.9, "59s"), (61.9, "1m 01s"), (3_720, "1h 02m")])
def test_time_that_goes_on_is_told_to_the_second(seconds: float, told: str) -> None:
    assert tell_elapsed(seconds) == told


def test_nothing_is_read_as_markup() -> None:
    assert to_text((Span("[red]x[/red]", Tone.DIM), Span(" :tada:"))).plain == "[red]x[/red] :tada:"
