"""Conversations: the user's messages in a fixed order, each reply judged as it comes."""

import asyncio

from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Conversation, EvaluatorSpec, Scenario
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.evaluators.scoring import evaluate, hard_gate_failed, takes_long
from agentlab_ci.runner.interface import Talk
from agentlab_ci.runner.recording import Recording


async def run_conversation(scenario: Scenario, talk: Talk, recording: Recording) -> TerminationReason:
    """Say each step's message and judge the reply, then judge the whole.

    A hard gate that fails at a step ends the conversation: neither the steps after it nor the end are judged.
    """
    assert isinstance(scenario.body, Conversation)  # noqa: S101 - the registry's key says so
    for number, step in enumerate(scenario.body.steps, start=1):
        recording.add_message(step.message)
        reply = await talk(step.message)
        recording.add_reply(reply)
        evidence = Evidence(output=reply.text, latency_ms=reply.latency_ms)
        evaluations = await _judge(step.evaluators, evidence, step=number)
        recording.evaluations += evaluations
        if hard_gate_failed(evaluations):
            return TerminationReason.EVALUATOR_FAILED
    recording.evaluations += await _judge(
        scenario.evaluators,
        Evidence(
            output=recording.final_output or "",
            turns=recording.agent_turns,
            cost_usd=recording.usage.cost_usd,
        ),
    )
    return TerminationReason.COMPLETED


async def _judge(
    specs: tuple[EvaluatorSpec, ...], evidence: Evidence, *, step: int | None = None
) -> tuple[Evaluation, ...]:
    """Evaluate, in a thread where it may take a while: the other samples' deadlines go on."""
    if takes_long(specs, evidence):
        return await asyncio.to_thread(evaluate, specs, evidence, step=step)
    return evaluate(specs, evidence, step=step)
