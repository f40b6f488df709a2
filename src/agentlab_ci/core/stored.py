"""What the history holds beside the reports of batches that ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import (
    BatchFacts,
    RowKey,
    RunReport,
    SampleCounts,
    SampleResult,
    ScenarioCounts,
    ScenarioFacts,
    ScenarioResult,
)
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRef:
    """A batch that is stored; with `scenario_id`, only what it holds of that scenario is meant."""

    batch_id: str
    scenario_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRef:
    """A run that is stored, and the batch and the scenario that it is of."""

    run_id: str
    batch_id: str
    scenario_id: str


Reference = BatchRef | RunRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """That somebody has said of results that they are as they should be, and when (UTC, RFC 3339)."""

    reference: Reference
    approved_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One sample. `row` is its scenario with the samples that are stored.

    It is None when the batch has no end and was begun by an agentlab that did not store what it planned. `ended`
    says whether the batch has an end.
    """

    batch: BatchFacts
    variant: str | None
    row: ScenarioResult | None
    sample: SampleResult
    ended: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UnendedBatch:
    """A batch that has no end, because it still runs or was killed: the samples that have ended, as they began.

    `ended_at` of its facts means nothing. `planned` is every scenario, in order; empty where that is not stored.
    """

    facts: BatchFacts
    samples: Mapping[RowKey, tuple[SampleResult, ...]]
    planned: tuple[ScenarioFacts, ...] = ()

    def report_so_far(self, *, duration_ms: float) -> RunReport:
        """Judge what has ended so far; scenarios whose samples are still to come are unfinished."""
        rows = (judge_scenario(facts, self.samples.get(facts.key, ())) for facts in self.planned)
        return build_report(self.facts, rows, duration_ms=duration_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScenario:
    """How a scenario stood at the end of one batch."""

    batch_id: str
    started_at: str
    row: ScenarioResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioEntry:
    """A scenario, on one variant, as a list shows it.

    `verdict`, `batch_id` and `started_at` are of the newest batch that ended with it; `batches` counts them all.
    `suite` is None where no agentlab could read it.
    """

    scenario_id: str
    variant: str | None
    suite: str | None
    batch_id: str
    started_at: str
    verdict: Verdict
    batches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """A run as a list shows it. `suite` and `agent` are None where they are not known."""

    run_id: str
    batch_id: str
    scenario_id: str
    variant: str | None
    suite: str | None
    agent: str | None
    sample: int
    of: int
    status: SampleStatus
    termination_reason: str
    score: int | None
    started_at: str | None
    duration_ms: float
    cost_usd: float | None
    approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchEntry:
    """A batch as a list shows it.

    What is only known at the end is None or empty when the batch has none; `samples` counts those that are stored.
    """

    batch_id: str
    started_at: str
    ended_at: str | None
    verdict: BatchState
    exit_code: int | None
    scenarios: ScenarioCounts | None
    samples: SampleCounts
    suites: tuple[str, ...]
    agents: tuple[str, ...]
    variants: tuple[str, ...]
    cost_usd: float | None
    duration_ms: float | None
    approved: bool
