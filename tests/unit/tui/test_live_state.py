"""The state of the live view: what each event changes, and what is shown of it."""

import pytest

from agentlab_ci.core.results import RowKey
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.trace import Usage, Wait
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.state import LiveState, Phase, state_of
from canned import CANNED_REPORTS, simulation_scenario
from factories import make_facts, make_report, make_row, make_samples

ALLERGIES = make_facts("food.allergies", name="Ask about nut allergies")
KEY: RowKey = (None, "food.allergies")


def told(feed: Feed, now: float = 0) -> LiveState:
    """Return the state after all that the feed was told."""
    state = LiveState()
    for event in feed.drain():
        state.apply(event, now)
    state.take_changed(now)
    return state


def test_rows_stand_in_yaml_order_whatever_ends_first() -> None:
    feed = Feed()
    rows = [make_facts(f"a.{letter}") for letter in "cab"]
    feed.planned(rows)
    feed.sample_ended(rows[2], make_samples("p..", scenario_id="a.b")[0])
    feed.sample_ended(rows[0], make_samples("p..", scenario_id="a.c")[0])
    state = told(feed)
    assert [(row.number, row.result.scenario_id, row.passes) for row in state.rows] == [
        (1, "a.c", "1/3"),
        (2, "a.a", "0/3"),
        (3, "a.b", "1/3"),
    ]


def test_a_scenario_settles_while_its_last_sample_still_runs() -> None:
    feed = Feed()
    feed.planned([ALLERGIES])
    first, second = make_samples("pp.", scenario_id="food.allergies")
    feed.sample_started(ALLERGIES, 3, "run_3")
    feed.sample_ended(ALLERGIES, first)
    state = told(feed)
    assert state.row(KEY).result.verdict is Verdict.UNFINISHED
    feed.sample_ended(ALLERGIES, second)
    for event in feed.drain():
        state.apply(event)
    assert state.take_changed() == (KEY,)
    assert state.row(KEY).result.verdict is Verdict.PASSED
    assert [sample.phase for sample in state.row(KEY).samples] == [Phase.ENDED, Phase.ENDED, Phase.RUNNING]
    assert state.counts.running == 1


def test_a_sample_may_end_again_and_what_comes_late_of_it_is_ignored() -> None:
    feed = Feed()
    feed.planned([ALLERGIES])
    feed.sample_ended(ALLERGIES, make_samples("p..", scenario_id="food.allergies")[0])
    feed.sample_ended(ALLERGIES, make_samples("u..", scenario_id="food.allergies")[0])
    feed.sample_started(ALLERGIES, 1, "run_late")
    feed.waiting(ALLERGIES, 1, Wait(seconds=5, status=429, attempt=1))
    state = told(feed)
    assert (state.counts.passed, state.counts.errors, state.counts.running) == (0, 1, 0)
    assert state.row(KEY).samples[0].run_id == "run_1"


def test_a_wait_is_over_when_its_seconds_are() -> None:
    feed = Feed()
    wait = Wait(seconds=12, status=429, attempt=2)
    feed.planned([ALLERGIES])
    feed.sample_started(ALLERGIES, 1, "run_1")
    feed.waiting(ALLERGIES, 1, wait)
    state = told(feed, now=100)
    assert (state.counts.waiting, state.counts.running, state.longest_wait) == (1, 1, wait)
    assert state.take_changed(111.9) == ()
    assert state.take_changed(112) == (KEY,)
    assert (state.counts.waiting, state.counts.running, state.longest_wait) == (0, 1, None)
    assert state.row(KEY).samples[0].run_id == "run_1"


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_a_report_is_shown_as_it_is(name: str) -> None:
    report = CANNED_REPORTS[name]
    state = state_of(report)
    assert tuple(row.result for row in state.rows) == report.scenarios
    samples, scenarios, counts = report.summary.samples, report.summary.scenarios, state.counts
    assert (counts.passed, counts.failed, counts.errors, counts.cancelled) == (
        samples.passed,
        samples.failed,
        samples.error,
        samples.cancelled,
    )
    assert (counts.scenarios, counts.skipped) == (scenarios.total, scenarios.skipped)
    assert counts.scenarios_failed + counts.scenarios_not_judged == scenarios.failed
    assert counts.cost_usd == pytest.approx(report.summary.cost_usd)
    assert counts.simulation_cost_usd == pytest.approx(report.summary.simulation_cost_usd)


def test_what_never_ran_is_said_not_to_have_run_once_the_run_is_over() -> None:
    feed = Feed()
    feed.planned([ALLERGIES])
    feed.sample_started(ALLERGIES, 1, "run_1")
    feed.finished(None)
    state = told(feed)
    assert (state.over, state.report) == (True, None)
    assert {sample.phase for sample in state.row(KEY).samples} == {Phase.NOT_RUN}
    assert state.counts.running == 0


def test_of_a_batch_without_an_end_nobody_knows_what_ran() -> None:
    state = state_of(make_report(make_row("p..")), unended=True)
    assert [sample.phase for sample in state.rows[0].samples] == [Phase.ENDED, Phase.NOT_STORED, Phase.NOT_STORED]


def test_a_skipped_scenario_has_no_samples() -> None:
    feed = Feed()
    feed.planned([make_facts("a.task", skipped="a task cannot run on an http agent"), ALLERGIES])
    state = told(feed)
    assert (state.rows[0].samples, state.rows[0].passes) == ((), "")
    assert (state.counts.wanted, state.counts.scenarios, state.counts.skipped) == (3, 1, 1)


def test_pass_at_k_counts_what_is_complete() -> None:
    feed = Feed()
    rows = [make_facts("a.one"), make_facts("a.two")]
    feed.planned(rows)
    for sample in make_samples("pfp", scenario_id="a.one"):
        feed.sample_ended(rows[0], sample)
    feed.sample_ended(rows[1], make_samples("p..", scenario_id="a.two")[0])
    state = told(feed)
    assert state.pass_lines == ("pass@3 1/1 (1.00), pass^3 0/1 (0.00)",)
    for sample in make_samples("fff", scenario_id="a.two"):
        feed.sample_ended(rows[1], sample)
    feed.scenario_complete(make_row("fff", "a.two"))
    for event in feed.drain():
        state.apply(event)
    state.take_changed()
    assert state.pass_lines == ("pass@3 1/2 (0.50), pass^3 0/2 (0.00)",)


def test_costs_are_known_or_not() -> None:
    feed = Feed()
    feed.planned([ALLERGIES])
    first, second = make_samples("pp.", scenario_id="food.allergies")
    feed.sample_ended(ALLERGIES, first)
    state = told(feed)
    assert state.counts.cost_usd is None
    feed.sample_ended(ALLERGIES, second.model_copy(update={"usage": Usage(cost_usd=0.5)}))
    for event in feed.drain():
        state.apply(event)
    state.take_changed()
    assert state.counts.cost_usd == 0.5
    simulated = state_of(make_report(simulation_scenario("a.b", "met", "met")))
    assert simulated.counts.simulation_cost_usd == pytest.approx(0.01)


def test_rows_are_found_by_name_and_id_and_by_being_below_the_bar() -> None:
    rows = [
        make_row("ppp", "food.allergies", name="Ask About NUTS"),
        make_row("fff", "food.table", name="Book a table"),
        make_row("fff", "food.table", name="Book a table", variant="candidate", pass_rate=PassRate("0.1")),
    ]
    state = state_of(make_report(*rows))
    assert state.find() == tuple(row.key for row in rows)
    assert state.find("nuts") == (KEY,)
    assert state.find("FOOD.T") == (rows[1].key, rows[2].key)
    assert state.find("candidate") == (rows[2].key,)
    assert state.find("food", only_below=True) == (rows[1].key, rows[2].key)
    assert state.find("[") == ()


def test_talk_is_kept_in_order() -> None:
    feed = Feed()
    feed.said("note: one")
    feed.said("warning: two")
    assert told(feed).said == ("note: one", "warning: two")


def test_a_feed_hands_out_some_and_then_the_rest() -> None:
    feed = Feed()
    for number in range(5):
        feed.said(str(number))
    assert [len(feed.drain(2)), len(feed.drain(2)), len(feed.drain()), len(feed.drain())] == [2, 2, 1, 0]
