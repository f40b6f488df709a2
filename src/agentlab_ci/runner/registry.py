"""The scenario types that can be run."""

from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.runner.conversation import run_conversation
from agentlab_ci.runner.interface import ScenarioRunner

SCENARIO_RUNNERS: dict[ScenarioType, ScenarioRunner] = {
    ScenarioType.CONVERSATION: run_conversation,
}
