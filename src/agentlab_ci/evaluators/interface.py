"""What every evaluator is: a kind with its config model, where it may stand, and a pure judge."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from agentlab_ci.core.model import Model
from agentlab_ci.core.trace import ToolCall

JUDGE = "judge"
"""Id and type of the answer of a simulation's judge, which stands among those of its evaluators."""

ConfigT = TypeVar("ConfigT", bound=Model)


class Position(StrEnum):
    """Where in a scenario an evaluator may stand."""

    STEP = "step"
    """Under a step of a conversation: judges that reply."""
    END = "end"
    """Under `evaluators` of any scenario: judges the whole sample."""
    TASK_END = "task end"
    """Under `evaluators` of a task, the only scenarios with tools."""
    SIMULATION_END = "simulation end"
    """Under `evaluators` of a simulation, whose replies have no steps to be judged at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is judged: one reply (at a step), or the sample as a whole (at the end).

    `output` is the step's reply, or the last one. `turns` counts what the agent said, tool calls included.
    `latency_ms` is that of the reply at a step, of the slowest at the end of a simulation, and None at any other
    end; `cost_usd` is None where the agent did not say.
    """

    output: str
    latency_ms: float | None = None
    turns: int = 0
    tool_calls: tuple[ToolCall, ...] = ()
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether the evidence passes, and why, in words that name what was looked for."""

    passed: bool
    message: str


class NotJudgedError(Exception):
    """The evaluator could not come to an answer; the sample is an error, not a failure."""


def _ends_soon(config: Model, evidence: Evidence) -> bool:  # noqa: ARG001 - the signature of `takes_long`
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorKind(Generic[ConfigT]):
    """A row of the registry; `name` is the `type` in YAML. `judge` is pure and may raise only `NotJudgedError`.

    `takes_long` tells within a few milliseconds whether `judge` may compute for a while on this evidence: then it
    is kept out of the event loop.
    """

    name: str
    positions: frozenset[Position]
    config: type[ConfigT]
    passes_when: str
    takes_long: Callable[[ConfigT, Evidence], bool] = _ends_soon
    judge: Callable[[ConfigT, Evidence], Finding]


AnyKind = EvaluatorKind[Any]


def quote(texts: Iterable[str]) -> str:
    """Write texts for a finding's message: in double quotes, as they are, with commas between them."""
    return ", ".join(f'"{text}"' for text in texts)
