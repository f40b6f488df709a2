from typing import Any

import pytest

from agentlab_ci.core.compare_runs import Change, EvaluationChange, RunView, compare_runs
from agentlab_ci.core.drift import Drift
from agentlab_ci.core.results import Normalization
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation
from canned import scenario, task_scenario
from factories import make_facts, make_samples


def _run(outcome: str, *, hash_: str | None = "a1", scenario_id: str = "a.b", **update: Any) -> RunView:
    sample = make_samples(outcome, scenario_id=scenario_id)[0].model_copy(update=update)
    return RunView(scenario=make_facts(scenario_id, hash=hash_), run=sample)


def _answers(**passed: bool) -> tuple[Evaluation, ...]:
    return tuple(
        Evaluation(id=name, type="x", mode=Mode.HARD_GATE, passed=answer, message=f"{name} {answer}")
        for name, answer in passed.items()
    )


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("p", "p", Change.UNCHANGED_PASS),
        ("f", "f", Change.UNCHANGED_FAIL),
        ("p", "f", Change.REGRESSED),
        ("f", "p", Change.IMPROVED),
        ("p", "e", Change.CHANGED_NON_TERMINAL),  # an error is no answer, so it is no regression
        ("e", "p", Change.CHANGED_NON_TERMINAL),
        ("e", "e", Change.CHANGED_NON_TERMINAL),
        ("f", "c", Change.CHANGED_NON_TERMINAL),
    ],
)
def test_the_class_follows_from_the_statuses(old: str, new: str, change: Change) -> None:
    comparison = compare_runs(_run(old), _run(new))
    assert comparison.change is change
    assert comparison.reason == ""


def test_a_lost_hard_gate_is_a_regression_of_a_run_that_had_failed_before() -> None:
    old = _run("f", evaluations=_answers(greets=False, refunds=True))
    new = _run("f", evaluations=_answers(greets=True, refunds=False))
    assert compare_runs(old, new).change is Change.REGRESSED
    assert compare_runs(old, old).change is Change.UNCHANGED_FAIL


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({}, {"scenario_id": "a.c"}, "another scenario"),
        ({}, {"hash_": "b2"}, "the scenario has changed: what is asked, judged or run is not the same"),
        ({"hash_": None}, {}, "imported results do not say what was asked and judged"),
        ({"hash_": None}, {"hash_": None}, ""),  # by their ids, then
    ],
)
def test_runs_are_comparable_when_the_same_was_asked(old: Any, new: Any, reason: str) -> None:
    comparison = compare_runs(_run("p", **old), _run("f", **new))
    assert comparison.reason == reason
    assert comparison.change is (Change.NOT_COMPARABLE if reason else Change.REGRESSED)


def test_a_lost_gate_of_another_scenario_is_none() -> None:
    old, new = _run("p", evaluations=_answers(x=True)), _run("f", hash_="b2", evaluations=_answers(x=False))
    assert compare_runs(old, new).change is Change.NOT_COMPARABLE


def test_evaluators_that_answer_otherwise_are_named() -> None:
    old = _run("f", evaluations=_answers(same=True, lost=True, gone=True))
    new = _run("f", evaluations=_answers(same=True, lost=False, new=True))
    assert compare_runs(old, new).evaluations == (
        EvaluationChange(id="lost", step=None, mode=Mode.HARD_GATE, old=True, new=False, message="lost False"),
        EvaluationChange(id="gone", step=None, mode=Mode.HARD_GATE, old=True, new=None, message="gone True"),
        EvaluationChange(id="new", step=None, mode=Mode.HARD_GATE, old=None, new=True, message="new True"),
    )


def test_what_was_said_and_called_is_diffed() -> None:
    talk = scenario("pf", "support.order-status")
    said = compare_runs(*(RunView(scenario=talk, run=run) for run in talk.samples))
    assert said.behaviour.turns[1:] == (
        "-agent: It has shipped. Tracking: 1Z999.",
        "+agent: I cannot help with that.",
    )
    work = task_scenario("support.refund", "refunded", "forbidden")
    called = compare_runs(*(RunView(scenario=work, run=run) for run in work.samples))
    assert '-orders.refund {"order_id": "ord_1024"}' in called.behaviour.tool_calls


def test_runtime_alone_changes_no_class() -> None:
    comparison = compare_runs(_run("p", duration_ms=100), _run("p", duration_ms=9000))
    assert comparison.change is Change.UNCHANGED_PASS
    assert comparison.runtime == Drift(old=100, new=9000)


def test_outputs_are_normalised_as_the_scenario_says() -> None:
    def run(output: str, **how: bool) -> RunView:
        facts = make_facts("a.b", normalize=Normalization(**how))
        return RunView(scenario=facts, run=_run("p", final_output=output).run)

    assert compare_runs(run("OK"), run("ok")).behaviour.output == ("-OK", "+ok")
    assert not compare_runs(run("OK", lowercase=True), run("ok", lowercase=True)).behaviour
