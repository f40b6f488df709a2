"""A scenario as the rest of the program sees it: checked, complete, with its place in the YAML."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agentlab_ci.core.sampling import PassRate


class ScenarioType(StrEnum):
    """What kind of job a scenario is."""

    TASK = "task"
    CONVERSATION = "conversation"
    SIMULATION = "simulation"


class Mode(StrEnum):
    """What an evaluation decides: a failed hard gate fails the sample, a weighted one costs score."""

    HARD_GATE = "hard_gate"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something stands: a path relative to the working directory, line and column from 1."""

    path: str
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSpec:
    """One check as the scenario asks for it. `config` is the frozen config model of the evaluator's type."""

    id: str
    type: str
    mode: Mode
    weight: float = 1.0
    config: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingChoice:
    """What a scenario or config says of its sampling; None where it says nothing."""

    samples: int | None = None
    pass_rate: PassRate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalize:
    """How outputs are made alike before two of them are compared."""

    strip_whitespace: bool = False
    lowercase: bool = False
    ignore_dates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One job with tools. `timeout_seconds` is the author's limit: exceeding it is a failure."""

    instructions: str
    success_hint: str | None = None
    fixtures: tuple[str, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    tools_allowed: tuple[str, ...]
    tools_forbidden: tuple[str, ...] = ()
    max_steps: int = 8
    timeout_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the user says next, and what the reply is held to."""

    message: str
    evaluators: tuple[EvaluatorSpec, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """User messages in a fixed order."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A user played by a model, judged by a model."""

    instructions: str
    agent_expectations: str
    userdata: Mapping[str, Any] = field(default_factory=dict)
    max_turns: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One YAML-described job. `evaluators` judge the whole sample; those of a step stand in the step."""

    id: str
    name: str
    suite: str
    description: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    agent: str | None = None
    system_prompt: str | None = None
    runtime_profile: str | None = None
    sampling: SamplingChoice = SamplingChoice()
    evaluators: tuple[EvaluatorSpec, ...] = ()
    normalize: Normalize = Normalize()
    setup_script: str | None = None
    body: Task | Conversation | Simulation
    place: Place

    @property
    def type(self) -> ScenarioType:
        """The scenario's kind, as its body says."""
        return _TYPE_OF_BODY[type(self.body)]


_TYPE_OF_BODY: dict[type, ScenarioType] = {
    Task: ScenarioType.TASK,
    Conversation: ScenarioType.CONVERSATION,
    Simulation: ScenarioType.SIMULATION,
}
