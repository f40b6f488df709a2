"""What running one scenario type is: a coroutine that works with the agent and records what comes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from agentlab_ci.agents.interface import Agent, SessionStart, SimulationModels
from agentlab_ci.core.config import RuntimeProfile
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario
from agentlab_ci.runner.outage import Outages
from agentlab_ci.runner.recording import Recording
from agentlab_ci.runner.state import Opening, RowState
from agentlab_ci.tools.interface import ToolboxOpener

AnswerT = TypeVar("AnswerT")


class Patiently(Protocol):
    """Asks the agent, or a model of a simulation, and asks again after a wait while it is busy."""

    async def __call__(self, ask: Callable[[], Awaitable[AnswerT]], *, model: str | None = None) -> AnswerT:
        """Return what `ask` brings; raises what it raises, the last refusal of a busy one as AgentFailedError.

        `model` names the model that is asked, None for the agent.
        """
        ...


class ModelFailedError(Exception):
    """The simulator or the judge is of no use, so the sample cannot be judged. `body` is what came instead.

    `answered`: there was an answer, and nothing could be made of it.
    """

    def __init__(
        self, message: str, *, reason: TerminationReason, body: str | None = None, answered: bool = False
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.body = body
        self.answered = answered


class Asker(Protocol):
    """What asking a model takes of whoever asks; a `Draw` has it."""

    @property
    def patiently(self) -> Patiently:
        """How a busy model is waited for."""
        ...

    @property
    def error_retries(self) -> int:
        """How often a request whose connection failed is sent again."""
        ...

    @property
    def outages(self) -> Outages:
        """What the run has found of its models."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One attempt at a sample: a redraw is another one, with a conversation and a recording of its own.

    `agent` can run this type of scenario; planning has seen to that. `models` are those of a simulation, None
    elsewhere, and `outages` what the run has found of them. `opening` is what the draw begins with, `state` what
    the row's samples have in common. `fixtures` is the folder that a setup script made ready for this draw.
    `error_retries` is how often a request to a model is sent again.
    """

    scenario: Scenario
    profile: RuntimeProfile | None
    agent: Agent
    models: SimulationModels | None
    outages: Outages
    start: SessionStart
    opening: Opening
    state: RowState
    open_tools: ToolboxOpener
    fixtures: Path | None
    patiently: Patiently
    error_retries: int
    recording: Recording


class ScenarioRunner(Protocol):
    """A row of the registry."""

    async def __call__(self, draw: Draw) -> TerminationReason:
        """Run the scenario once, into the draw's recording.

        Raises AgentFailedError, ModelFailedError, NotJudgedError and ToolBrokenError, which make the sample an
        error.
        """
        ...
