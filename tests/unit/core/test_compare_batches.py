from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison, compare_batches
from agentlab_ci.core.compare_runs import Change
from agentlab_ci.core.drift import Drift
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Role, Turn
from canned import scenario, task_scenario
from factories import make_facts, make_report, make_row


def _compare(old: ScenarioResult, new: ScenarioResult) -> RowComparison:
    [row] = compare_batches(make_report(old), make_report(new)).rows
    return row


def _with(row: ScenarioResult, **update: Any) -> ScenarioResult:
    """Give every sample of a scenario the same evidence."""
    return row.model_copy(update={"samples": tuple(s.model_copy(update=update) for s in row.samples)})


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("ppp", "ppp", Change.UNCHANGED_PASS),
        ("ppp", "ppf", Change.UNCHANGED_PASS),  # within the bar
        ("ppp", "pff", Change.REGRESSED),
        ("ppp", "fff", Change.REGRESSED),
        ("ppf", "pff", Change.REGRESSED),
        ("pff", "ppf", Change.IMPROVED),
        ("fff", "ppp", Change.IMPROVED),
        ("fff", "pff", Change.UNCHANGED_FAIL),
        ("pff", "fff", Change.UNCHANGED_FAIL),
        ("p", "f", Change.REGRESSED),
        ("f", "f", Change.UNCHANGED_FAIL),
        # Judged samples decide, whatever the others would have answered.
        ("ppe", "pff", Change.REGRESSED),
        ("ppp", "ffe", Change.REGRESSED),
        ("pps", "ffs", Change.REGRESSED),
        ("ppp", "ppc", Change.UNCHANGED_PASS),
    ],
)
def test_the_verdict_decides(old: str, new: str, change: Change) -> None:
    row = _compare(make_row(old), make_row(new))
    assert row.change is change
    assert row.reason == ""


TOO_FEW = "too few samples of the {} batch were judged: {} of 3, needs 2"
CHANGED = "the scenario has changed: what is asked, judged or run is not the same"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (make_row("ppp", hash="a1"), make_row("fff", hash="b2"), CHANGED),
        (make_row("ppp"), make_row("fffff"), "3 samples before, 5 now"),
        (make_row("p"), make_row("fff"), "1 sample before, 3 now"),
        (
            make_row("ppf", pass_rate=PassRate("0.5")),
            make_row("ppf", pass_rate=PassRate("1")),
            "needed 2 of 3 before, needs 3 now",
        ),
        (make_row("ppp"), make_row("pee"), TOO_FEW.format("new", 1)),
        (make_row("ppp"), make_row("eee"), TOO_FEW.format("new", 0)),
        (make_row("uuu"), make_row("fff"), TOO_FEW.format("old", 0)),
        (make_row("ppp"), make_row("pf."), TOO_FEW.format("new", 2)),
        (make_row("ppp"), make_row("pcc"), TOO_FEW.format("new", 1)),
        (make_row("...", skipped="no"), make_row("fff"), "skipped in the old batch"),
        (make_row("ppp"), make_row("...", skipped="no"), "skipped in the new batch"),
    ],
)
def test_what_cannot_be_compared_says_why(old: ScenarioResult, new: ScenarioResult, reason: str) -> None:
    row = _compare(old, new)
    assert (row.change, row.reason) == (Change.NOT_COMPARABLE, reason)
    assert (row.p, row.runtime, row.steps, row.example, row.lost_gates) == (None, None, None, None, ())


def test_scenarios_that_came_and_went_are_listed_the_latter_at_the_end() -> None:
    old = make_report(make_row("ppp", "a.gone"), make_row("ppp", "a.stays"))
    new = make_report(make_row("ppp", "a.new"), make_row("ppp", "a.stays"))
    assert [(row.key[1], row.reason) for row in compare_batches(old, new).rows] == [
        ("a.new", "new: not in the old batch"),
        ("a.stays", ""),
        ("a.gone", "vanished: not in the new batch"),
    ]


def test_variants_are_compared_each_with_itself() -> None:
    old = make_report(make_row("ppp", variant="large"), make_row("fff", variant="small"))
    new = make_report(make_row("fff", variant="large"), make_row("fff", variant="small"), make_row("fff"))
    assert [(row.key[0], row.change) for row in compare_batches(old, new).rows] == [
        ("large", Change.REGRESSED),
        ("small", Change.UNCHANGED_FAIL),
        (None, Change.NOT_COMPARABLE),
    ]


def test_agents_may_differ() -> None:
    assert _compare(scenario("ppp", "a.b"), scenario("fff", "a.b", agent=None)).change is Change.REGRESSED


def test_a_variant_that_does_not_gate_regresses_without_making_it_red() -> None:
    old, new = make_report(make_row("ppp")), make_report(make_row("fff", gate=False))
    comparison = compare_batches(old, new)
    assert len(comparison.regressed) == 1
    assert not comparison.has_regressed
    assert compare_batches(old, make_report(make_row("fff"))).has_regressed


@pytest.mark.parametrize(
    ("old", "new", "p", "fewer"),
    [
        ("ppp", "ppf", Fraction(1), True),
        ("ppp", "fff", Fraction(1, 10), False),  # a regression, which says more
        ("ppppp", "fffff", Fraction(1, 126), False),
        ("ppppp", "fffss", Fraction(1, 56), False),
        ("ppp", "ppp", Fraction(1), False),
        ("ppf", "ppp", Fraction(1), False),
        ("pff", "fff", Fraction(1), True),  # below the bar before and after
        ("ppe", "ppf", Fraction(1), True),  # of the judged ones
        ("pps", "ppp", Fraction(1), False),
    ],
)
def test_fewer_passes_come_with_how_likely_they_are(old: str, new: str, p: Fraction, fewer: bool) -> None:
    row = _compare(make_row(old), make_row(new))
    assert row.p == p
    assert row.fewer_passes is fewer


def _judged(outcomes: str, gates: str, **facts: Any) -> ScenarioResult:
    """Return a scenario whose samples passed (`+`) or missed (`-`) a hard gate, or never came to it (a blank)."""

    def judge(sample: SampleResult, answer: str) -> SampleResult:
        gate = Evaluation(id="refunds", type="x", mode=Mode.HARD_GATE, passed=answer == "+", message="")
        return sample.model_copy(update={"evaluations": (gate,) if answer != " " else ()})

    row = make_row(outcomes, **facts)
    answers = dict(zip(range(1, len(gates) + 1), gates, strict=True))
    return row.model_copy(update={"samples": tuple(judge(s, answers[s.sample]) for s in row.samples)})


@pytest.mark.parametrize(
    ("old", "new", "rate"),
    [
        # Two of five are enough for the bar, and yet most samples miss what none missed.
        (("ppppp", "+++++"), ("ppfff", "++---"), "0.4"),
        # Below the bar for another reason before.
        (("fff", "+++"), ("fff", "---"), "0.75"),
        # Errors alone would leave the verdict open.
        (("ppppp", "+++++"), ("fffee", "---  "), "0.4"),
        # The run ended early.
        (("ppppp", "+++++"), ("fffcc", "---  "), "0.4"),
    ],
)
def test_a_lost_hard_gate_wins_over_everything(old: tuple[str, str], new: tuple[str, str], rate: str) -> None:
    row = _compare(_judged(*old, pass_rate=PassRate(rate)), _judged(*new, pass_rate=PassRate(rate)))
    assert row.change is Change.REGRESSED
    assert [gate.id for gate in row.lost_gates] == ["refunds"]


def test_a_lost_hard_gate_of_another_scenario_is_none() -> None:
    old, new = _judged("ppp", "+++", hash="a1"), _judged("fff", "---", hash="b2")
    assert _compare(old, new).change is Change.NOT_COMPARABLE


def test_runtime_and_steps_are_shown_and_never_a_regression() -> None:
    said = Turn(role=Role.AGENT, text="x")
    old = _with(make_row("ppp"), duration_ms=100, turns=(said,))
    new = _with(make_row("ppp"), duration_ms=9000, turns=(said,) * 4)
    row = _compare(old, new)
    assert row.change is Change.UNCHANGED_PASS
    assert (row.runtime, row.steps) == (Drift(old=100, new=9000), Drift(old=1, new=4))


def test_samples_that_were_not_judged_count_for_no_runtime() -> None:
    new = make_row("ppe")
    took = (0, 150, 9000)  # the median of the first two is within the floor, that of all three is not
    samples = (s.model_copy(update={"duration_ms": ms}) for s, ms in zip(new.samples, took, strict=True))
    row = _compare(make_row("ppp"), new.model_copy(update={"samples": tuple(samples)}))
    assert row.change is Change.UNCHANGED_PASS
    assert row.runtime is None


@pytest.mark.parametrize(
    ("old", "new", "samples"),
    [
        ("fpp", "pff", (2, 2)),  # one that passed, one that failed
        ("pff", "fpp", (2, 2)),
        ("ppp", "ppf", (1, 3)),  # the first that ended as none did before
    ],
)
def test_the_example_shows_what_changed(old: str, new: str, samples: tuple[int, int]) -> None:
    example = _compare(scenario(old, "a.b"), scenario(new, "a.b")).example
    assert example is not None
    assert (example.old.run.sample, example.new.run.sample) == samples
    assert example.behaviour.turns


def test_the_example_of_a_lost_gate_is_a_sample_that_missed_it() -> None:
    old = _judged("ppppp", "+++++")
    new = _judged("fffff", " +---")
    example = _compare(old, new).example
    assert example is not None
    assert example.new.run.sample == 3


@pytest.mark.parametrize(("old", "new"), [("ppp", "ppp"), ("fpp", "ppf"), ("ppf", "ppp"), ("fff", "fff")])
def test_new_samples_that_are_like_old_ones_need_no_example(old: str, new: str) -> None:
    assert _compare(scenario(old, "a.b"), scenario(new, "a.b")).example is None


def test_another_tool_argument_shows_where_the_verdict_is_the_same() -> None:
    old = task_scenario("support.refund", "refunded", "refunded")
    calls = old.samples[0].tool_calls
    other = calls[2].model_copy(update={"input": {"order_id": "ord_9"}})
    row = _compare(old, _with(old, tool_calls=(*calls[:2], other)))
    assert row.change is Change.UNCHANGED_PASS
    assert row.example is not None
    assert row.example.behaviour.tool_calls[1:] == (
        '-orders.refund {"order_id": "ord_1024"}',
        '+orders.refund {"order_id": "ord_9"}',
    )


def test_another_turn_shows_where_the_verdict_is_the_same() -> None:
    old = scenario("ppp", "a.b")
    turns = old.samples[0].turns
    row = _compare(old, _with(old, turns=(*turns[:-1], turns[-1].model_copy(update={"text": "It has shipped!"}))))
    assert row.change is Change.UNCHANGED_PASS
    assert row.example is not None
    assert "+agent: It has shipped!" in row.example.behaviour.turns


def test_the_old_sample_of_an_example_ended_alike_if_there_is_one() -> None:
    old, new = scenario("fpp", "a.b"), scenario("ppp", "a.b")
    strange = _with(new, turns=(Turn(role=Role.AGENT, text="It has shipped!"),))
    example = _compare(old, strange).example
    assert example is not None
    assert (example.old.run.sample, example.new.run.sample) == (2, 1)


def _one_run(random: Random) -> RunReport:
    """Return what a deterministic agent makes of a suite, in its own time."""
    rows = []
    for suite in (
        scenario("ppp", "a.talk"),
        scenario("pfp", "a.flaky"),
        task_scenario("a.work", "refunded", "steps"),
    ):
        samples = []
        for sample in suite.samples:
            took = random.uniform(1, 5)
            turns = tuple(turn.model_copy(update={"latency_ms": random.uniform(1, 5)}) for turn in sample.turns)
            samples.append(sample.model_copy(update={"duration_ms": took, "turns": turns}))
        rows.append(judge_scenario(make_facts(suite.scenario_id, samples_wanted=suite.samples_wanted), samples))
    return make_report(*rows)


def test_the_same_agent_never_regresses_and_never_differs() -> None:
    random = Random(6)  # noqa: S311 - figures, no secrets
    runs = [_one_run(random) for _ in range(51)]
    for old, new in pairwise(runs):
        comparison = compare_batches(old, new)
        assert {row.change for row in comparison.rows} == {Change.UNCHANGED_PASS, Change.UNCHANGED_FAIL}
        assert [(row.example, row.runtime, row.steps) for row in comparison.rows] == [(None, None, None)] * 3


OUTCOMES = st.text(alphabet="pfecs", min_size=3, max_size=3)


@settings(derandomize=True, deadline=None)
@given(OUTCOMES, OUTCOMES)
def test_there_and_back_again(before: str, after: str) -> None:
    def compare(old: str, new: str) -> BatchComparison:
        return compare_batches(make_report(make_row(old)), make_report(make_row(new)))

    [there], [back] = compare(before, after).rows, compare(after, before).rows
    turned = {Change.REGRESSED: Change.IMPROVED, Change.IMPROVED: Change.REGRESSED}
    assert back.change is turned.get(there.change, there.change)
    assert there.p == back.p
    [same] = compare(before, before).rows
    assert same.change in (Change.UNCHANGED_PASS, Change.UNCHANGED_FAIL, Change.NOT_COMPARABLE)
