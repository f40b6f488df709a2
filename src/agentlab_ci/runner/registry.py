"""How each type of scenario is run."""

from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.runner.conversation import run_conversation
from agentlab_ci.runner.interface import ScenarioRunner
from agentlab_ci.runner.simulation import run_simulation
from agentlab_ci.runner.task import run_task

SCENARIO_RUNNERS: dict[ScenarioType, ScenarioRunner] = {
    ScenarioType.TASK: run_task,
    ScenarioType.CONVERSATION: run_conversation,
    ScenarioType.SIMULATION: run_simulation,
}
