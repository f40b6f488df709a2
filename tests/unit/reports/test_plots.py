"""The numbers behind the plots are those of the report, and their places are within the plot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport, SampleResult
from agentlab_ci.core.stats import format_share
from agentlab_ci.reports.plots import MOST_RATES, curves_of, distributions_of, rates_of
from agentlab_ci.reports.timeline import MOST_TIMES, timeline_of
from canned import CANNED_REPORTS, scenario, task_scenario
from factories import make_report, make_row

outcomes = st.lists(st.text("pfecu", min_size=4, max_size=4), min_size=1, max_size=6)


@settings(derandomize=True, deadline=None)
@given(outcomes)
def test_a_curve_ends_where_the_pass_line_does(rows: list[str]) -> None:
    report = make_report(*(make_row(letters, f"a.{number}") for number, letters in enumerate(rows)))
    ends = [(curve.of, curve.draws[-1].at, curve.draws[-1].hat) for curve in curves_of(report)]
    assert ends == [
        (at.of, format_share(at.passed, at.of), format_share(hat.passed, hat.of))
        for at, hat in zip(report.summary.pass_at_k, report.summary.pass_hat_k, strict=True)
    ]
    for curve in curves_of(report):
        assert curve.draws[0].at == curve.draws[0].hat
        assert all(0 <= draw.x <= 220 and 0 <= draw.at_y <= draw.hat_y <= 140 for draw in curve.draws)
        assert curve.hat_label_y - curve.at_label_y >= 15


def test_three_of_four() -> None:
    (curve,) = curves_of(make_report(make_row("pppf")))
    assert [(draw.at, draw.hat) for draw in curve.draws] == [
        ("0.75", "0.75"),
        ("1.00", "0.50"),
        ("1.00", "0.25"),
        ("1.00", "0.00"),
    ]


def test_of_many_samples_some_are_drawn() -> None:
    (curve,) = curves_of(make_report(make_row("p" * 100 + "f" * 100)))
    assert len(curve.draws) == 24
    assert (curve.draws[0].j, curve.draws[-1].j) == (1, 200)
    assert (curve.ticks[0].j, curve.ticks[-1].j) == (1, 200)
    assert len(curve.ticks) <= 7


@pytest.mark.parametrize("name", ["single", "stopped_early", "empty"])
def test_what_is_not_measured_is_not_drawn(name: str) -> None:
    assert curves_of(CANNED_REPORTS[name]) == ()


def test_rates_have_their_interval_and_their_bar() -> None:
    rates, known = rates_of(make_report(make_row("ppp", "a.1"), make_row("ppe", "a.2"), make_row("uuu", "a.3")))
    assert known == 2
    assert [(it.title, it.passed, it.n, it.rate, it.low, it.high, it.needed) for it in rates] == [
        ("a.1", 3, 3, 1000, 438, 1000, 667),
        ("a.2", 2, 3, 667, 208, 939, 667),
    ]


def test_of_many_rates_the_lowest_are_shown_in_order() -> None:
    rows = [make_row("pf" if number % 2 else "ff", f"a.{number}") for number in range(2 * MOST_RATES)]
    rates, known = rates_of(make_report(*rows))
    assert known == 2 * MOST_RATES
    assert [it.title for it in rates] == [f"a.{number}" for number in range(0, 2 * MOST_RATES, 2)]


def test_latencies_and_costs() -> None:
    latency, cost = distributions_of(make_report(task_scenario("support.refund", "refunded", "crashed")))
    assert (latency.count, latency.summary) == (5, "half within 200ms, nine in ten within 310ms, highest 310ms")
    assert sum(bar.count for bar in latency.bars) == 5
    assert (cost.count, [(bar.low, bar.count) for bar in cost.bars]) == (2, [("$0.0042", 2)])
    assert distributions_of(make_report(make_row("ppp"))) == ()


def _timed(sample: SampleResult, start: str, milliseconds: float) -> SampleResult:
    return sample.model_copy(update={"started_at": start, "duration_ms": milliseconds})


def _report(*spans: tuple[str, float]) -> RunReport:
    row = scenario("f" * len(spans), "support.cancel")
    samples = tuple(_timed(sample, *span) for sample, span in zip(row.samples, spans, strict=True))
    return make_report(row.model_copy(update={"samples": samples}))


def test_the_timeline_puts_samples_into_slots() -> None:
    plot = timeline_of(
        _report(("2026-04-07T00:00:00Z", 1000), ("2026-04-07T00:00:00.5Z", 500), ("2026-04-07T00:00:01Z", 1000))
    )
    assert plot is not None
    assert [(it.start, it.took, it.slot, it.status) for it in plot.times] == [
        ("+0ms", "1.0s", 1, "failed"),
        ("+500ms", "500ms", 2, "failed"),
        ("+1.0s", "1.0s", 1, "failed"),
    ]
    assert plot.began == "2026-04-07 00:00:00 UTC"
    assert [said for _, said in plot.ticks] == ["0ms", "500ms", "1.0s", "1.5s", "2.0s"]
    assert plot.height == 28


def test_a_long_timeline_lists_its_slots() -> None:
    plot = timeline_of(_report(*[("2026-04-07T00:00:00Z", 10.0)] * (MOST_TIMES + 1)))
    assert plot is not None
    assert plot.times == ()
    assert {(it.samples, it.busy) for it in plot.loads} == {(1, "100 %")}


def test_samples_without_a_start_are_counted() -> None:
    assert timeline_of(make_report(make_row("ppp"))) is None
    plot = timeline_of(make_report(scenario("pp", "a.b"), make_row("ps", "a.c")))
    assert plot is not None
    assert plot.left_out == 2
    assert len(plot.times) == 2
