"""From evaluators to evaluations, a score, and whether the sample passes."""

import math
from collections.abc import Iterable

from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.scenario import EvaluatorSpec, Mode
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.evaluators.registry import EVALUATORS


def evaluate(
    specs: Iterable[EvaluatorSpec], evidence: Evidence, *, step: int | None = None
) -> tuple[Evaluation, ...]:
    """Judge the evidence by each evaluator, in order. Raises NotJudgedError when one has no answer."""
    evaluations = []
    for spec in specs:
        finding = EVALUATORS[spec.type].judge(spec.config, evidence)
        evaluations.append(
            Evaluation(
                id=spec.id,
                type=spec.type,
                mode=spec.mode,
                step=step,
                passed=finding.passed,
                weight=spec.weight,
                message=finding.message,
            )
        )
    return tuple(evaluations)


def takes_long(specs: Iterable[EvaluatorSpec], evidence: Evidence) -> bool:
    """Tell whether any of these evaluators may compute for a while on the evidence."""
    return any(EVALUATORS[spec.type].takes_long(spec.config, evidence) for spec in specs)


def hard_gate_failed(evaluations: Iterable[Evaluation]) -> bool:
    """Tell whether any hard gate did not pass."""
    return any(e.mode is Mode.HARD_GATE and not e.passed for e in evaluations)


def score(evaluations: Iterable[Evaluation]) -> int:
    """Return 100 * passed weight / total weight over the weighted ones, half up; 100 when there are none."""
    weighted = [e for e in evaluations if e.mode is Mode.WEIGHTED]
    if not weighted:
        return 100
    passed = math.fsum(e.weight for e in weighted if e.passed)
    return math.floor(100 * passed / math.fsum(e.weight for e in weighted) + 0.5)


def judged_status(evaluations: tuple[Evaluation, ...], *, pass_score: float) -> SampleStatus:
    """Say whether a completed sample passes: no hard gate failed, and the score is at least `pass_score`."""
    if hard_gate_failed(evaluations) or score(evaluations) < pass_score:
        return SampleStatus.FAILED
    return SampleStatus.PASSED
