"""Limits on what a sample may take: turns and money."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from agentlab_ci.core.model import Model, Number, Whole
from agentlab_ci.evaluators.interface import EvaluatorKind, Evidence, Finding, Position


class StepLimit(Model):
    """`max` (or `max_steps`): turns of the agent."""

    max: Annotated[Whole, Field(ge=1)] | None = None
    max_steps: Annotated[Whole, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "StepLimit":
        if (self.max is None) == (self.max_steps is None):
            raise ValueError("needs `max` (or `max_steps`, the same thing), and only one of them")
        return self

    @property
    def limit(self) -> int:
        """The number, whichever key it came under."""
        return self.max or self.max_steps or 0


class CostLimit(Model):
    """`max_usd`: US dollars for the whole sample."""

    max_usd: Annotated[Number, Field(ge=0)]


def _judge_steps(config: StepLimit, evidence: Evidence) -> Finding:
    return Finding(
        passed=evidence.turns <= config.limit,
        message=f"{evidence.turns} agent turns, at most {config.limit}",
    )


def _judge_cost(config: CostLimit, evidence: Evidence) -> Finding:
    if evidence.cost_usd is None:
        return Finding(passed=False, message="the agent did not report its cost, so it cannot be within the limit")
    return Finding(
        passed=evidence.cost_usd <= config.max_usd,
        message=f"cost ${evidence.cost_usd:.6g}, at most ${config.max_usd:g}",
    )


_END = frozenset({Position.END})

KINDS: tuple[EvaluatorKind[Any], ...] = (
    EvaluatorKind(
        name="step_count_max",
        positions=_END,
        config=StepLimit,
        passes_when="the agent took at most `max` turns; in a conversation or a simulation a turn is one reply",
        judge=_judge_steps,
    ),
    EvaluatorKind(
        name="cost_max",
        positions=_END,
        config=CostLimit,
        passes_when="the recorded cost is at most `max_usd`; an unknown cost fails",
        judge=_judge_cost,
    ),
)
