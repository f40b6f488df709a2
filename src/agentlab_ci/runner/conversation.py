"""Conversations: the user's messages in a fixed order, each reply judged as it comes."""

from functools import partial
from typing import cast

from agentlab_ci.agents.interface import Talker
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Conversation
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.evaluators.scoring import hard_gate_failed
from agentlab_ci.runner.interface import Draw
from agentlab_ci.runner.judging import judge
from agentlab_ci.runner.seeds import say_seeds


async def run_conversation(draw: Draw) -> TerminationReason:
    """Say what the profile has the user say first, then each step's message and judge the reply, then the whole.

    A hard gate that fails at a step ends the conversation: neither the steps after it nor the end are judged.
    """
    body = cast("Conversation", draw.scenario.body)
    recording = draw.recording
    async with cast("Talker", draw.agent).session(draw.start) as session:
        await say_seeds(draw, session)
        for number, step in enumerate(body.steps, start=1):
            recording.add_message(step.message)
            reply = await draw.patiently(partial(session.send, step.message))
            recording.add_reply(reply)
            draw.state.keep(step.message, reply.text)
            evidence = Evidence(output=reply.text, latency_ms=reply.latency_ms)
            evaluations = await judge(step.evaluators, evidence, step=number)
            recording.evaluations += evaluations
            if hard_gate_failed(evaluations):
                return TerminationReason.EVALUATOR_FAILED
    recording.evaluations += await judge(
        draw.scenario.evaluators,
        Evidence(
            output=recording.final_output or "",
            turns=recording.agent_turns,
            cost_usd=recording.usage.cost_usd,
        ),
    )
    return TerminationReason.COMPLETED
