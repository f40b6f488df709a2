"""From samples to the report of a run, and the same from a stored report."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import PassGroup, judge_scenario, pass_groups, regate
from agentlab_ci.core.results import PassShare, RunReport, SampleCounts, ScenarioCounts, ScenarioResult
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.stats import PassCounts
from agentlab_ci.core.trace import Usage
from agentlab_ci.core.verdict import Label, Verdict
from agentlab_ci.errors import ExitCode
from factories import make_facts, make_report, make_row, make_samples

RULES = settings(derandomize=True, deadline=None)
OUTCOMES = st.text("pfec.", min_size=1, max_size=9)


def _mixes_up_to_nine() -> Iterator[str]:
    for samples in range(1, 10):
        for mix in combinations_with_replacement("pfec.", samples):
            yield "".join(mix)


def test_every_mix_of_outcomes_up_to_nine_samples() -> None:
    for outcomes in _mixes_up_to_nine():
        row = make_row(outcomes)
        passed, errors = outcomes.count("p"), outcomes.count("e")
        best = passed + outcomes.count("c") + outcomes.count(".")
        assert (row.verdict is Verdict.PASSED) == (passed >= row.needed)
        assert (row.verdict is Verdict.FAILED) == (best < row.needed)
        assert row.could_not_be_judged == (best < row.needed <= best + errors)
        assert row.passed == passed
        report = make_report(row)
        assert (
            report.summary.exit_code
            is {
                Verdict.PASSED: ExitCode.OK,
                Verdict.FAILED: ExitCode.BELOW_BAR,
                Verdict.UNFINISHED: ExitCode.NO_VERDICT,
            }[row.verdict]
        )
        assert bool(report.summary.pass_at_k) == (len(outcomes) > 1 and not set(outcomes) & {"c", "."})


@RULES
@given(outcomes=OUTCOMES, order=st.randoms(use_true_random=False))
def test_samples_stand_by_number_whatever_finished_first(outcomes: str, order: Random) -> None:
    facts = make_facts(samples_wanted=len(outcomes))
    samples = make_samples(outcomes)
    assert judge_scenario(facts, order.sample(samples, len(samples))) == judge_scenario(facts, samples)


@RULES
@given(rows=st.lists(st.tuples(OUTCOMES, st.booleans()), max_size=6))
def test_counts_add_up(rows: list[tuple[str, bool]]) -> None:
    report = make_report(*(make_row(o, f"s.{i}", gate=gate) for i, (o, gate) in enumerate(rows)))
    everything = "".join(outcomes for outcomes, _ in rows)
    assert report.summary.samples == SampleCounts(
        passed=everything.count("p"),
        failed=everything.count("f"),
        error=everything.count("e"),
        cancelled=everything.count("c"),
    )
    counts = report.summary.scenarios
    assert counts.total == len(rows) == counts.passed + counts.failed + counts.unfinished
    assert [row.scenario_id for row in report.scenarios] == [f"s.{i}" for i in range(len(rows))]
    red = any(row.verdict is Verdict.FAILED for row in report.scenarios if row.gate)
    assert (report.summary.exit_code is ExitCode.BELOW_BAR) == red == bool(report.gating_below_bar)
    assert (report.summary.verdict is Verdict.FAILED) == red


def test_a_skipped_scenario_is_counted_apart_and_gates_nothing() -> None:
    report = make_report(make_row("...", skipped="the agent takes no tasks"), make_row("ppp", "b"))
    assert report.summary.scenarios == ScenarioCounts(total=1, passed=1, failed=0, unfinished=0, skipped=1)
    assert report.summary.verdict is Verdict.PASSED
    assert report.summary.exit_code is ExitCode.OK
    assert [row.scenario_id for row in report.judged] == ["b"]


@pytest.mark.parametrize(
    "rows", [[], [make_row("...", skipped="no")], [make_row("...", skipped="no", gate=False)]]
)
def test_a_run_that_judged_nothing_is_skipped_and_not_green(rows: list[ScenarioResult]) -> None:
    report = make_report(*rows)
    assert report.summary.verdict is Verdict.SKIPPED
    assert report.summary.exit_code is ExitCode.BAD_INPUT
    assert regate(report, fail_on=FailOn.NEVER).summary == report.summary


def test_a_reason_to_skip_has_words() -> None:
    with pytest.raises(ValidationError):
        make_facts(skipped="")


def test_a_scenario_that_does_not_gate_is_below_its_bar_without_making_the_run_red() -> None:
    report = make_report(make_row("fff", gate=False))
    assert report.scenarios[0].below_bar
    assert report.gating_below_bar == ()
    assert report.summary.verdict is Verdict.PASSED
    assert report.summary.exit_code is ExitCode.OK
    assert report.summary.scenarios.failed == 1


def test_cost_is_the_sum_of_what_is_known_and_unknown_when_nothing_is() -> None:
    rows = [make_row("pp"), make_row("pp", "b")]
    assert make_report(*rows).summary.cost_usd is None
    sample = rows[0].samples[0]
    priced = sample.model_copy(update={"usage": sample.usage.model_copy(update={"cost_usd": 0.25})})
    rows[0] = rows[0].model_copy(update={"samples": (priced, *rows[0].samples[1:])})
    assert make_report(*rows).summary.cost_usd == 0.25


def test_what_simulations_cost_beside_the_agent_is_added_up_apart() -> None:
    row = make_row("ppf")
    first, second, third = row.samples
    played = {"simulator_usage": Usage(cost_usd=0.25), "judge_usage": Usage(cost_usd=0.5)}
    first = first.model_copy(update=played | {"usage": Usage(cost_usd=4.0)})
    second = second.model_copy(update={"simulator_usage": Usage(cost_usd=1.0), "judge_usage": Usage()})
    summary = make_report(row.model_copy(update={"samples": (first, second, third)})).summary
    assert (summary.cost_usd, summary.simulation_cost_usd) == (4.0, 1.75)
    assert "simulation_cost_usd" not in make_report(row).summary.model_dump()


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        # The example of a report: at least once 3 of 4, every time 1 of 4.
        (["ppp", "ppf", "fpf", "fff"], [(None, 3, 0, (3, 1, 4))]),
        # Each k has its own line, in order of first appearance.
        (["ppppp", "ppf", "fffff"], [(None, 5, 0, (1, 1, 2)), (None, 3, 0, (1, 0, 1))]),
        # Scenarios that ran to their end are the unlucky ones here: nothing is measured.
        (["ppf", "pps"], [(None, 3, 1, None)]),
        # An agent that was given up on says nothing of how often it passes.
        (["ppp", "uuu"], [(None, 3, 0, (1, 1, 1))]),
        (["uuu"], [(None, 3, 0, None)]),
        (["p", "f"], []),
    ],
)
def test_pass_groups(
    rows: list[str], groups: list[tuple[str | None, int, int, tuple[int, int, int] | None]]
) -> None:
    found = pass_groups(make_row(outcomes, f"s.{i}") for i, outcomes in enumerate(rows))
    assert found == tuple(
        PassGroup(
            variant=variant,
            k=k,
            stopped_early=early,
            counts=counts and PassCounts(k=k, at_least_once=counts[0], every_time=counts[1], of=counts[2]),
        )
        for variant, k, early, counts in groups
    )


def test_each_variant_has_its_own_pass_line() -> None:
    report = make_report(
        make_row("ppp", variant="baseline"), make_row("ppf", variant="concise"), make_row("...", "b", skipped="no")
    )
    assert report.summary.pass_at_k == (
        PassShare(k=3, passed=1, of=1, variant="baseline"),
        PassShare(k=3, passed=1, of=1, variant="concise"),
    )
    assert report.summary.pass_hat_k == (
        PassShare(k=3, passed=1, of=1, variant="baseline"),
        PassShare(k=3, passed=0, of=1, variant="concise"),
    )
    assert report.scenarios[0].title == "billing.refund · baseline"
    assert report.scenarios[0].key == ("baseline", "billing.refund")


@RULES
@given(
    rows=st.lists(st.tuples(st.text("pfeucs.", min_size=1, max_size=5), st.booleans()), max_size=5),
    require_finished=st.booleans(),
    fail_on=st.sampled_from(FailOn),
)
def test_judging_a_stored_report_again_gives_the_same_report(
    rows: list[tuple[str, bool]], require_finished: bool, fail_on: FailOn
) -> None:
    report = make_report(
        *(make_row(outcomes, f"s.{i}", gate=gate) for i, (outcomes, gate) in enumerate(rows)),
        require_finished=require_finished,
        fail_on=fail_on,
    )
    stored = RunReport.model_validate_json(report.model_dump_json())
    assert stored == report
    assert regate(stored, require_finished=require_finished, fail_on=fail_on) == report


def test_a_stored_report_can_be_held_to_another_bar() -> None:
    report = make_report(make_row("ppf"))
    assert report.summary.exit_code is ExitCode.OK
    strict = regate(report, pass_rate=PassRate("1"))
    assert strict.scenarios[0].needed == 3
    assert strict.scenarios[0].verdict is Verdict.FAILED
    assert strict.summary.exit_code is ExitCode.BELOW_BAR
    assert strict.sampling.pass_rate == PassRate("1")
    assert regate(strict, pass_rate=PassRate("0.75")) == report


def test_the_label_of_a_row_is_that_of_its_samples() -> None:
    assert [make_row(outcomes).label for outcomes in ("ppp", "ppf", "fff", "eee")] == [
        Label.STABLE,
        Label.FLAKY,
        Label.BROKEN,
        None,
    ]
