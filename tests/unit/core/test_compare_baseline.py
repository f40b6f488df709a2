"""A judged scenario against the baseline, and what of a batch is approved."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.baseline import ApprovedScenario, Baseline, BaselineFacts, BaselineState
from agentlab_ci.core.compare_baseline import compare_with_baseline, make_baseline
from agentlab_ci.core.compare_batches import compare_batches
from agentlab_ci.core.compare_runs import Change
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from canned import compared, scenario
from factories import make_report, make_row

S = BaselineState


def approve(*rows: ScenarioResult) -> Baseline:
    file = make_baseline(make_report(*rows), None)
    return Baseline(file="baseline.json", approved={line.key: line for line in file.scenarios})


def line_of(row: ScenarioResult) -> ApprovedScenario:
    return approve(row).approved[row.key]


def state_of(old: ScenarioResult, new: ScenarioResult) -> BaselineState:
    return compare_with_baseline(new, BaselineFacts(approved=line_of(old))).state


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ("ppp", "ppp", S.UNCHANGED),
        ("ppp", "ppf", S.UNCHANGED),  # fewer passes within the bar
        ("ppf", "ppp", S.UNCHANGED),
        ("ppp", "pff", S.REGRESSED),
        ("fff", "ppf", S.FIXED),
        ("fff", "pff", S.STILL_FAILING),
        ("ppp", "pee", S.NOT_COMPARABLE),  # errors are no answers
        ("fff", "eee", S.NOT_COMPARABLE),
        ("ppp", "ffe", S.REGRESSED),  # with a pass in place of the error it would have failed as well
        ("ppp", "pc.", S.NOT_COMPARABLE),
        ("ppp", "pps", S.UNCHANGED),
        ("ppp", "ffs", S.REGRESSED),
        ("p", "f", S.REGRESSED),
    ],
)
def test_the_verdict_decides(old: str, new: str, state: BaselineState) -> None:
    assert state_of(make_row(old), make_row(new)) is state


def test_what_the_baseline_does_not_have_is_new() -> None:
    comparison = compare_with_baseline(make_row("fff"), BaselineFacts(approved=None))
    assert (comparison.state, comparison.reason, comparison.approved) == (S.NEW, "", None)


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (make_row("ppp", hash="2"), "the scenario has changed"),
        (make_row("ppppp", hash="1"), "3 samples when approved, 5 now"),
        (make_row("ppp", hash="1", pass_rate=PassRate("1")), "needed 2 of 3 when approved, needs 3 now"),
        (make_row("...", hash="1", skipped="a task"), "skipped in this run"),
        (make_row("p..", hash="1"), "unfinished"),
        (make_row("pee", hash="1"), "could not be judged"),
    ],
)
def test_why_it_is_not_comparable_is_said(new: ScenarioResult, reason: str) -> None:
    approved = line_of(make_row("ppp", hash="1"))
    comparison = compare_with_baseline(new, BaselineFacts(approved=approved))
    assert (comparison.state, comparison.reason) == (S.NOT_COMPARABLE, reason)


def test_another_rate_that_needs_as_many_is_comparable() -> None:
    assert state_of(make_row("ppp"), make_row("ppf", pass_rate=PassRate("0.6"))) is S.UNCHANGED


def test_a_hard_gate_that_always_held_and_mostly_fails_is_a_regression_whatever_the_verdict() -> None:
    old, new = (
        scenario("ppp", "support.cancel", pass_rate="0.34"),
        scenario("pff", "support.cancel", pass_rate="0.34"),
    )
    comparison = compare_with_baseline(new, BaselineFacts(approved=line_of(old)))
    assert new.verdict is Verdict.PASSED
    assert comparison.state is S.REGRESSED
    (gate,) = comparison.lost_gates
    assert (gate.id, gate.step, gate.missed, gate.of) == ("names-tracking", 2, 2, 3)


def test_only_hard_gates_that_always_held_are_approved() -> None:
    assert [(gate.step, gate.id) for gate in line_of(scenario("ppp", "a.b")).hard_gates] == [(2, "names-tracking")]
    assert line_of(scenario("ppf", "a.b")).hard_gates == ()


class TestMakeBaseline:
    """What `approve --to` writes."""

    def test_lines_are_sorted_by_id_and_variant(self) -> None:
        rows = [make_row("p", "b.x"), *compared("a.x", small="p", baseline="p")]
        lines = make_baseline(make_report(*rows), None).scenarios
        assert [line.key for line in lines] == [("baseline", "a.x"), ("small", "a.x"), (None, "b.x")]

    @pytest.mark.parametrize("row", [make_row("p.."), make_row("pee"), make_row("...", skipped="a task")])
    def test_what_was_not_judged_leaves_the_line_alone(self, row: ScenarioResult) -> None:
        earlier = make_baseline(make_report(make_row("ppp")), None)
        assert make_baseline(make_report(row), earlier) == earlier
        assert make_baseline(make_report(row), None).scenarios == ()

    def test_a_scenario_that_stands_as_it_did_keeps_its_line(self) -> None:
        earlier = make_baseline(make_report(make_row("ppp", "a.a"), make_row("ppp", "a.b")), None)
        later = make_report(make_row("ppp", "a.a"), make_row("ppf", "a.b"))
        later = later.model_copy(update={"batch_id": "batch_2"})
        first, second = make_baseline(later, earlier).scenarios
        assert first == earlier.scenarios[0]
        assert (second.batch_id, second.passed) == ("batch_2", 2)

    def test_lines_of_other_scenarios_stay(self) -> None:
        earlier = make_baseline(make_report(make_row("ppp", "a.a")), None)
        ids = [line.scenario_id for line in make_baseline(make_report(make_row("fff", "a.b")), earlier).scenarios]
        assert ids == ["a.a", "a.b"]

    def test_nothing_that_an_agent_said_is_in_it(self) -> None:
        rows = scenario("ppp", "support.cancel"), scenario("fff", "support.refund")
        text = make_baseline(make_report(*rows), None).model_dump_json().replace("names-tracking", "")
        for said in ("shipped", "cannot help", "Where is", "tracking", "shop"):
            assert said not in text


class TestVanished:
    """Scenarios of the baseline that are gone."""

    @pytest.mark.parametrize(
        ("ids", "variants", "gone"),
        [
            (["a.x", "a.y"], [None], []),
            (["a.x"], [None], [(None, "a.y")]),  # whichever was selected
            (["a.x", "a.y"], ["baseline", "small"], []),
            (["a.x", "a.y"], ["baseline"], [("small", "a.x")]),  # a variant that the set has no more
            ([], ["baseline", "small"], [("baseline", "a.x"), ("small", "a.x")]),
        ],
    )
    def test_a_run_with_variants_looks_at_variants_alone(
        self, ids: list[str], variants: list[str | None], gone: list[tuple[str | None, str]]
    ) -> None:
        rows = [*compared("a.x", baseline="p", small="p"), make_row("p", "a.x"), make_row("p", "a.y")]
        source = approve(*rows).find_vanished(ids, variants)
        assert (source.file, [it.key for it in source.vanished]) == ("baseline.json", gone)


OUTCOMES = st.sampled_from(["ppp", "ppf", "pff", "fff", "pee", "ffe", "eee", "pps", "ffs", "pc.", "..."])
HELD = st.sampled_from(["same", "same", "same", "absent", "other hash"])


@st.composite
def judged_twice(draw: st.DrawFn) -> tuple[RunReport, RunReport]:
    """Draw a batch and one after it, of which some scenarios are new or have changed."""
    old: list[ScenarioResult] = []
    new: list[ScenarioResult] = []
    for number in range(draw(st.integers(1, 4))):
        facts: dict[str, Any] = {
            "gate": draw(st.booleans()),
            "pass_rate": draw(st.sampled_from(["0.34", "0.75", "1"])),
        }
        new.append(scenario(draw(OUTCOMES), f"a.{number}", hash="1", **facts))
        held = draw(HELD)
        if held != "absent":
            old.append(scenario(draw(OUTCOMES), f"a.{number}", hash="1" if held == "same" else "0", **facts))
    return make_report(*old), make_report(*new)


def held_against(old: RunReport, new: RunReport, **gate: Any) -> RunReport:
    return regate(new, baseline=approve(*old.scenarios), **gate)


@given(judged_twice())
@settings(derandomize=True, deadline=None)
def test_exit_code_1_means_that_a_gating_scenario_regressed_and_nothing_else(
    both: tuple[RunReport, RunReport],
) -> None:
    report = held_against(*both, fail_on=FailOn.REGRESSION, require_finished=True)
    regressed = any(row.gate and row.baseline and row.baseline.state is S.REGRESSED for row in report.scenarios)
    assert (report.summary.exit_code is ExitCode.BELOW_BAR) == regressed


@given(judged_twice(), st.sampled_from([FailOn.BELOW_BAR, FailOn.NEVER]), st.booleans())
@settings(derandomize=True, deadline=None)
def test_a_baseline_by_itself_changes_no_exit_code(
    both: tuple[RunReport, RunReport], fail_on: FailOn, require_finished: bool
) -> None:
    report = held_against(*both, fail_on=fail_on, require_finished=require_finished)
    without = regate(both[1], fail_on=fail_on, require_finished=require_finished)
    assert report.summary == without.summary


@given(judged_twice())
@settings(derandomize=True, deadline=None)
def test_it_says_what_a_comparison_of_the_two_batches_says(both: tuple[RunReport, RunReport]) -> None:
    old, new = both
    changes = {row.key: row.change for row in compare_batches(old, new).rows}
    for row in held_against(old, new).scenarios:
        assert row.baseline is not None
        if row.baseline.approved is not None:
            assert (
                changes[row.key]
                is {
                    S.REGRESSED: Change.REGRESSED,
                    S.FIXED: Change.IMPROVED,
                    S.UNCHANGED: Change.UNCHANGED_PASS,
                    S.STILL_FAILING: Change.UNCHANGED_FAIL,
                    S.NOT_COMPARABLE: Change.NOT_COMPARABLE,
                }[row.baseline.state]
            )


@given(judged_twice(), st.sampled_from(["0.34", "1"]))
@settings(derandomize=True, deadline=None)
def test_judged_again_it_is_compared_again(both: tuple[RunReport, RunReport], rate: str) -> None:
    report = held_against(*both)
    again = regate(report, pass_rate=PassRate(rate))
    assert again.scenarios == held_against(both[0], regate(both[1], pass_rate=PassRate(rate))).scenarios
    assert regate(report).scenarios == report.scenarios


def test_a_regression_that_does_not_gate_is_not_red() -> None:
    old, new = compared("a.b", baseline="ppp", small="ppp"), compared("a.b", baseline="ppp", small="fff")
    report = held_against(make_report(*old), make_report(*new), fail_on=FailOn.REGRESSION)
    assert [row.regressed for row in report.scenarios] == [False, True]
    assert report.summary.exit_code is ExitCode.OK


def test_what_was_gone_for_the_run_is_gone_for_another_baseline() -> None:
    old = make_report(make_row("ppp", "a.gone"), make_row("ppp", "a.here"))
    baseline = approve(*old.scenarios)
    report = make_report(make_row("ppp", "a.here"))
    assert regate(report, baseline=baseline).baseline == baseline.find_vanished(["a.here", "a.gone"], [None])
    known = report.model_copy(update={"baseline": baseline.find_vanished(["a.here"], [None])})
    assert regate(known, baseline=baseline).baseline == known.baseline
    assert regate(known, baseline=approve()).baseline == approve().find_vanished([], [None])
