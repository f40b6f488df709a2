"""The ways to reach an agent, and which scenario types each can run."""

from enum import StrEnum

from agentlab_ci.core.scenario import ScenarioType


class Provider(StrEnum):
    """How an agent is reached."""

    MOCK = "mock"
    HTTP = "http"
    OPENAI = "openai"
    EXTERNAL_PROCESS = "external_process"
    PYTHON = "python"


_TALKERS = frozenset({Provider.HTTP, Provider.OPENAI, Provider.PYTHON, Provider.MOCK})

RUNS_ON: dict[ScenarioType, frozenset[Provider]] = {
    ScenarioType.TASK: frozenset({Provider.EXTERNAL_PROCESS, Provider.OPENAI, Provider.PYTHON, Provider.MOCK}),
    ScenarioType.CONVERSATION: _TALKERS,
    ScenarioType.SIMULATION: _TALKERS,
}
