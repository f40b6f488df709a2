"""From evaluations to a score and a status."""

import pytest

from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.scenario import EvaluatorSpec, Mode
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.evaluators.response import Keywords
from agentlab_ci.evaluators.scoring import evaluate, hard_gate_failed, judged_status, score


def evaluation(*, passed: bool, weight: float = 1, mode: Mode = Mode.WEIGHTED) -> Evaluation:
    return Evaluation(id="x", type="x", mode=mode, passed=passed, weight=weight, message="")


GATE_FAILED = evaluation(passed=False, mode=Mode.HARD_GATE)


@pytest.mark.parametrize(
    ("passed_weights", "failed_weights", "points"),
    [
        ([], [], 100),  # nothing weighted
        ([1], [], 100),
        ([], [1], 0),
        ([1, 1], [1], 67),
        ([1], [1, 1], 33),
        ([1], [7], 13),  # 12.5 rounds up
        ([3], [1], 75),
        ([0.1] * 3, [0.7], 30),  # no drift of floats
        ([100], [1], 99),
    ],
)
def test_the_score(passed_weights: list[float], failed_weights: list[float], points: int) -> None:
    rows = [evaluation(passed=True, weight=w) for w in passed_weights]
    rows += [evaluation(passed=False, weight=w) for w in failed_weights]
    assert score(rows) == points
    assert score([*rows, GATE_FAILED]) == points, "a hard gate has no part in the score"


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ((), SampleStatus.PASSED),
        ((evaluation(passed=True, weight=4), evaluation(passed=False)), SampleStatus.PASSED),  # 80 is enough
        ((evaluation(passed=True, weight=3.9), evaluation(passed=False)), SampleStatus.PASSED),  # 79.6 is 80
        ((evaluation(passed=True, weight=3), evaluation(passed=False)), SampleStatus.FAILED),
        ((evaluation(passed=True), GATE_FAILED), SampleStatus.FAILED),
    ],
)
def test_the_status(rows: tuple[Evaluation, ...], status: SampleStatus) -> None:
    assert judged_status(rows, pass_score=80) is status


def test_evaluations_carry_what_was_asked_and_found() -> None:
    spec = EvaluatorSpec(
        id="says-hello",
        type="response_contains",
        mode=Mode.HARD_GATE,
        weight=2,
        config=Keywords(keywords=("hello",)),
    )
    (found,) = evaluate([spec], Evidence(output="bye"), step=3)
    assert found == Evaluation(
        id="says-hello",
        type="response_contains",
        mode=Mode.HARD_GATE,
        step=3,
        passed=False,
        weight=2,
        message='reply does not contain "hello"',
    )
    assert hard_gate_failed([found])
