"""How each type of scenario is run; what a type needs is imported with its first sample, as most runs have one."""

from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.runner.interface import Draw, ScenarioRunner


async def _run_task(draw: Draw) -> TerminationReason:
    from agentlab_ci.runner.task import run_task  # noqa: PLC0415

    return await run_task(draw)


async def _run_conversation(draw: Draw) -> TerminationReason:
    from agentlab_ci.runner.conversation import run_conversation  # noqa: PLC0415

    return await run_conversation(draw)


async def _run_simulation(draw: Draw) -> TerminationReason:
    from agentlab_ci.runner.simulation import run_simulation  # noqa: PLC0415

    return await run_simulation(draw)


SCENARIO_RUNNERS: dict[ScenarioType, ScenarioRunner] = {
    ScenarioType.TASK: _run_task,
    ScenarioType.CONVERSATION: _run_conversation,
    ScenarioType.SIMULATION: _run_simulation,
}
