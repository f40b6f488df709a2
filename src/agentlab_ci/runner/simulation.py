"""Simulations: a model plays the user until it is done, and another one judges what came of it."""

from functools import partial
from typing import cast

from agentlab_ci.agents.interface import Session, SimulationModels, Talker
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode, Simulation
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import JUDGE, Evidence
from agentlab_ci.evaluators.scoring import hard_gate_failed
from agentlab_ci.runner.interface import Draw
from agentlab_ci.runner.judging import judge
from agentlab_ci.runner.models import Part, ask_judge, ask_model, refuse_outage
from agentlab_ci.runner.seeds import say_seeds
from agentlab_ci.simulation.judge import tell_reason
from agentlab_ci.simulation.user import USER_SCHEMA, UserLine, ask_user_again, build_user_messages, read_user_reply

SIMULATOR = "simulator"


async def run_simulation(draw: Draw) -> TerminationReason:
    """Let the played user talk with the agent, then judge the whole: by evaluators first, then by the model.

    A hard gate that fails decides, so that nobody pays for the judge. Raises ModelFailedError where the simulator
    or the judge is of no use, before anybody is asked if the run knows that one of them is not there.
    """
    recording = draw.recording
    refuse_outage(draw, SIMULATOR, TerminationReason.SIMULATOR_ERROR)
    refuse_outage(draw, JUDGE, TerminationReason.JUDGE_ERROR)
    async with cast("Talker", draw.agent).session(draw.start) as session:
        await _talk(draw, session)
    evaluations = await judge(
        draw.scenario.evaluators,
        Evidence(
            output=recording.final_output or "",
            latency_ms=max((turn.latency_ms or 0.0 for turn in recording.turns), default=None),
            turns=recording.agent_turns,
            cost_usd=recording.usage.cost_usd,
        ),
    )
    recording.evaluations += evaluations
    if not hard_gate_failed(evaluations):
        recording.evaluations.append(await _ask_judge(draw))
    return TerminationReason.COMPLETED


async def _talk(draw: Draw, session: Session) -> None:
    """Say what the played user says until it is done or `max_turns` replies have come.

    The last word of a user who is done is not sent: whoever says goodbye waits for no answer.
    """
    body = cast("Simulation", draw.scenario.body)
    recording = draw.recording
    before = await say_seeds(draw, session)
    while recording.agent_turns < body.max_turns:
        line = await _ask_simulator(draw, build_user_messages(body, (*before, *recording.turns)))
        if line.message:
            recording.add_message(line.message)
        if line.done:
            return
        reply = await draw.patiently(partial(session.send, line.message))
        recording.add_reply(reply)
        draw.state.keep(line.message, reply.text)
    recording.add_limit(f"the conversation ends with reply {body.max_turns}, the last that `max_turns` allows")


async def _ask_simulator(draw: Draw, messages: list[dict[str, str]]) -> UserLine:
    part = Part(
        name=SIMULATOR,
        model=cast("SimulationModels", draw.models).simulator,
        failure=TerminationReason.SIMULATOR_ERROR,
        schema=USER_SCHEMA,
        read=partial(read_user_reply, opening=not draw.recording.turns),
        ask_again=ask_user_again,
        usages=draw.recording.simulator_usages,
    )
    return await ask_model(draw, part, messages)


async def _ask_judge(draw: Draw) -> Evaluation:
    recording = draw.recording
    judgement = await ask_judge(
        draw,
        cast("SimulationModels", draw.models).judge,
        cast("Simulation", draw.scenario.body),
        recording.turns,
        usages=recording.judge_usages,
    )
    message = tell_reason(judgement, recording.turns)
    return Evaluation(id=JUDGE, type=JUDGE, mode=Mode.HARD_GATE, passed=judgement.met, message=message)
