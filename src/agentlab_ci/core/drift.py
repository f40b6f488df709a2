"""Runtime and steps: what a change has to exceed to be worth a word. Never a regression by itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from agentlab_ci.core.results import SampleResult, ScenarioFacts
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.trace import Role

RUNTIME_FLOOR_MS = 100
RUNTIME_FLOOR_SHARE = 0.25
STEPS_FLOOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A figure that changed by more than its floors: milliseconds, or steps."""

    old: float
    new: float


def find_runtime_drift(old: Iterable[SampleResult], new: Iterable[SampleResult]) -> Drift | None:
    """Return the medians if they differ by more than 100 ms and by more than 25 % of the old one."""
    drift = _drift((sample.duration_ms for sample in old), (sample.duration_ms for sample in new))
    if drift is None:
        return None
    change = abs(drift.new - drift.old)
    return drift if change > RUNTIME_FLOOR_MS and change > RUNTIME_FLOOR_SHARE * drift.old else None


def find_steps_drift(
    scenario: ScenarioFacts, old: Iterable[SampleResult], new: Iterable[SampleResult]
) -> Drift | None:
    """Return the medians if they differ by more than 2 steps."""
    drift = _drift((count_steps(scenario, it) for it in old), (count_steps(scenario, it) for it in new))
    return drift if drift is not None and abs(drift.new - drift.old) > STEPS_FLOOR else None


def count_steps(scenario: ScenarioFacts, sample: SampleResult) -> int:
    """Count the agent's turns: replies of a conversation; of a task, calls of tools and the final answer."""
    if scenario.type is ScenarioType.TASK:
        return len(sample.tool_calls) + (sample.final_output is not None)
    return sum(turn.role is Role.AGENT for turn in sample.turns)


def _drift(old: Iterable[float], new: Iterable[float]) -> Drift | None:
    before, after = list(old), list(new)
    return Drift(old=median(before), new=median(after)) if before and after else None
