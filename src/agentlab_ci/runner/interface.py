"""What running one scenario type is: a coroutine that talks to the agent and records what comes."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from agentlab_ci.agents.interface import Reply
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario
from agentlab_ci.runner.recording import Recording

Talk = Callable[[str], Awaitable[Reply]]
"""Says something to the agent and waits for the answer, busy agents waited out."""


class ScenarioRunner(Protocol):
    """A row of the registry."""

    async def __call__(self, scenario: Scenario, talk: Talk, recording: Recording) -> TerminationReason:
        """Run the scenario once, into `recording`.

        Raises AgentFailedError and NotJudgedError, which make the sample an error.
        """
        ...
