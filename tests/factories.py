"""Domain data for tests: complete objects, of which a test states only what it is about.

The outcomes of a scenario's samples are written as a word, one letter each: `p` passed, `f` failed, `e` error,
`u` error because the agent was given up on, `c` cancelled at the run's deadline, `s` cancelled because the
verdict was settled, `.` not run yet. So `pf.` is a scenario of three samples of which one is still to come.
"""

from typing import Any

from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import (
    BatchFacts,
    RunReport,
    SampleResult,
    SamplingFacts,
    ScenarioFacts,
    ScenarioResult,
    VariantIdentity,
)
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import ScenarioType

_OUTCOMES = {
    "p": (SampleStatus.PASSED, TerminationReason.COMPLETED),
    "f": (SampleStatus.FAILED, TerminationReason.EVALUATOR_FAILED),
    "e": (SampleStatus.ERROR, TerminationReason.HTTP_ERROR),
    "u": (SampleStatus.ERROR, TerminationReason.AGENT_UNREACHABLE),
    "c": (SampleStatus.CANCELLED, TerminationReason.RUN_DEADLINE),
    "s": (SampleStatus.CANCELLED, TerminationReason.SETTLED),
}


def statuses_of(outcomes: str) -> list[SampleStatus]:
    """Return the statuses of the samples that have ended."""
    return [_OUTCOMES[letter][0] for letter in outcomes if letter != "."]


def make_samples(outcomes: str, *, scenario_id: str = "billing.refund") -> tuple[SampleResult, ...]:
    """Return the samples that have ended, numbered by their place in `outcomes`."""
    return tuple(
        SampleResult(
            scenario_id=scenario_id,
            sample=number,
            of=len(outcomes),
            run_id=None if letter == "s" else f"run_{number}",
            status=_OUTCOMES[letter][0],
            termination_reason=_OUTCOMES[letter][1],
        )
        for number, letter in enumerate(outcomes, start=1)
        if letter != "."
    )


def make_facts(scenario_id: str = "billing.refund", **overrides: Any) -> ScenarioFacts:
    """Return what is known of a scenario before its first sample: three samples at 0.75, gating, no variant."""
    facts: dict[str, Any] = {
        "scenario_id": scenario_id,
        "name": scenario_id,
        "type": ScenarioType.CONVERSATION,
        "suite": "billing",
        "file": "scenarios/billing.yaml",
        "line": 1,
        "hash": None,
        "agent": None,
        "samples_wanted": 3,
        "pass_rate": PassRate("0.75"),
    }
    return ScenarioFacts(**facts | overrides)


def make_row(
    outcomes: str, scenario_id: str = "billing.refund", *, variant: str | None = None, **overrides: Any
) -> ScenarioResult:
    """Return a judged scenario; its number of samples is the length of `outcomes`."""
    named = VariantIdentity(variant_set_name="models", variant_label=variant) if variant else None
    facts = make_facts(scenario_id, samples_wanted=len(outcomes), variant=named, **overrides)
    return judge_scenario(facts, make_samples(outcomes, scenario_id=scenario_id))


def make_batch(**overrides: Any) -> BatchFacts:
    """Return what is known of a run as a whole."""
    facts: dict[str, Any] = {
        "tool": "agentlab 0.1.0",
        "batch_id": "batch_20260407_001230_9x2c",
        "started_at": "2026-04-07T00:12:30Z",
        "ended_at": "2026-04-07T00:13:11Z",
        "sampling": SamplingFacts(samples=3, pass_rate=PassRate("0.75"), stop_when_settled=False),
    }
    return BatchFacts(**facts | overrides)


def make_report(*rows: ScenarioResult, **gate: Any) -> RunReport:
    """Return the report of a run with these rows; `gate` is passed on to `build_report`."""
    return build_report(make_batch(), rows, duration_ms=41_200, **gate)
