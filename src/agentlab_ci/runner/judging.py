"""Judging evidence without holding up the other samples."""

import asyncio

from agentlab_ci.core.scenario import EvaluatorSpec
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.evaluators.scoring import evaluate, takes_long


async def judge(
    specs: tuple[EvaluatorSpec, ...], evidence: Evidence, *, step: int | None = None
) -> tuple[Evaluation, ...]:
    """Judge by each evaluator, in a thread where that may take a while: the other samples' deadlines go on.

    Raises NotJudgedError when one has no answer.
    """
    if takes_long(specs, evidence):
        return await asyncio.to_thread(evaluate, specs, evidence, step=step)
    return evaluate(specs, evidence, step=step)
