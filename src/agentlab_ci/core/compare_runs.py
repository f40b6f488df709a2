"""Two runs of a scenario held against each other: what became of the verdict, and what differs on the way."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from agentlab_ci.core.behaviour import BehaviourDiff, behaviour_of, diff_behaviour
from agentlab_ci.core.drift import Drift, find_runtime_drift, find_steps_drift
from agentlab_ci.core.hard_gates import LostGate, find_lost_gates
from agentlab_ci.core.results import SampleResult, ScenarioFacts
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.scenario import Mode


class Change(StrEnum):
    """What became of a run, or of a scenario in a batch."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED_PASS = "unchanged_pass"  # noqa: S105 - no password
    UNCHANGED_FAIL = "unchanged_fail"
    CHANGED_NON_TERMINAL = "changed_non_terminal"
    """Of runs: one of them ended without a verdict, so that only the way to its end can be compared."""
    NOT_COMPARABLE = "not_comparable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run with what is known of its scenario."""

    scenario: ScenarioFacts
    run: SampleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationChange:
    """An evaluator that answered otherwise: whether it passed, None where it did not run.

    `message` is the newer answer. `step` counts from 1, None at the end.
    """

    id: str
    step: int | None
    mode: Mode
    old: bool | None
    new: bool | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """What two runs differ in. `reason` says why they are not comparable, and is empty where they are.

    `runtime` and `steps` are None within their floors. Everything but `change` only explains.
    """

    old: RunView
    new: RunView
    change: Change
    reason: str
    lost_gates: tuple[LostGate, ...]
    evaluations: tuple[EvaluationChange, ...]
    behaviour: BehaviourDiff
    runtime: Drift | None
    steps: Drift | None


def compare_runs(old: RunView, new: RunView) -> RunComparison:
    """Compare two runs. They are comparable when the same was asked and judged, by whichever agent."""
    before, after = old.run, new.run
    lost = find_lost_gates([before], [after])
    reason = explain_other_scenario(old.scenario, new.scenario)
    return RunComparison(
        old=old,
        new=new,
        change=Change.NOT_COMPARABLE if reason else _classify(before.status, after.status, lost=bool(lost)),
        reason=reason,
        lost_gates=lost,
        evaluations=tuple(_find_changes(before, after)),
        behaviour=diff_behaviour(
            behaviour_of(before, new.scenario.normalize), behaviour_of(after, new.scenario.normalize)
        ),
        runtime=find_runtime_drift([before], [after]),
        steps=find_steps_drift(new.scenario, [before], [after]),
    )


def explain_other_scenario(old: ScenarioFacts, new: ScenarioFacts) -> str:
    """Say why the two did not ask and judge the same; empty when they did."""
    if old.scenario_id != new.scenario_id:
        return "another scenario"
    if old.hash == new.hash:
        return ""
    if old.hash is None or new.hash is None:
        return "imported results do not say what was asked and judged"
    return "the scenario has changed: what is asked, judged or run is not the same"


def _classify(old: SampleStatus, new: SampleStatus, *, lost: bool) -> Change:
    if lost:
        return Change.REGRESSED
    match old, new:
        case SampleStatus.PASSED, SampleStatus.PASSED:
            return Change.UNCHANGED_PASS
        case SampleStatus.FAILED, SampleStatus.FAILED:
            return Change.UNCHANGED_FAIL
        case SampleStatus.PASSED, SampleStatus.FAILED:
            return Change.REGRESSED
        case SampleStatus.FAILED, SampleStatus.PASSED:
            return Change.IMPROVED
        case _:
            return Change.CHANGED_NON_TERMINAL


def _find_changes(old: SampleResult, new: SampleResult) -> Iterator[EvaluationChange]:
    before = {(it.step, it.id): it for it in old.evaluations}
    after = {(it.step, it.id): it for it in new.evaluations}
    for key, latest in (before | after).items():
        one, other = (side[key].passed if key in side else None for side in (before, after))
        if one is not other:
            yield EvaluationChange(
                id=latest.id, step=latest.step, mode=latest.mode, old=one, new=other, message=latest.message
            )
