"""The results of a run: the one object that every renderer, output and exit code is made from.

`RunReport` is results.json. Counts and verdicts in it are always derived from the samples, by `core.judge`, so
that no two surfaces can disagree.
"""

from typing import Annotated, Literal

from pydantic import Field

from agentlab_ci.core.baseline import BaselineComparison, BaselineFacts, BaselineSource, BaselineState
from agentlab_ci.core.model import Flag, Name, Number, Rate, Whole
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.trace import (
    Count,
    Evaluation,
    Figure,
    Ordinal,
    Record,
    Redraw,
    SampleError,
    ToolCall,
    TraceEvent,
    Turn,
    Usage,
    Wait,
)
from agentlab_ci.core.verdict import Label, Verdict, could_not_be_judged
from agentlab_ci.errors import ExitCode

Score = Annotated[Whole, Field(ge=0, le=100)]
"""Percent of the weight that passed."""
RowKey = tuple[str | None, str]
"""(variant label, scenario id); the label is None outside a variant set."""


class SampleResult(Record):
    """How one sample ended. `run_id` and `started_at` are None when it never started.

    `score` is None when nothing was judged. `usage` is the agent's alone; that of the models which play the user
    and judge in a simulation stands beside it, None elsewhere. `given_up` means that its agent was given up on
    because all samples failed like this one. Times are UTC, RFC 3339; durations are milliseconds.
    """

    scenario_id: str
    sample: Ordinal
    of: Ordinal
    run_id: str | None
    status: SampleStatus
    termination_reason: TerminationReason
    score: Score | None = None
    started_at: str | None = None
    duration_ms: Figure = 0
    waits: tuple[Wait, ...] = ()
    redraws: tuple[Redraw, ...] = ()
    usage: Usage = Usage()
    simulator_usage: Usage | None = Field(None, exclude_if=lambda value: value is None)
    judge_usage: Usage | None = Field(None, exclude_if=lambda value: value is None)
    error: SampleError | None = None
    final_output: str | None = None
    turns: tuple[Turn, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    given_up: Flag = Field(False, exclude_if=lambda value: not value)

    @property
    def agent_given_up(self) -> bool:
        """Whether its agent was given up on, because it could not be reached or for another failure."""
        return self.given_up or self.termination_reason is TerminationReason.AGENT_UNREACHABLE

    @property
    def is_timed(self) -> bool:
        """Whether it is known how long it took; another tool may not say."""
        return self.started_at is not None or self.duration_ms > 0

    @property
    def never_ran(self) -> bool:
        """Whether it ended without having begun."""
        return self.run_id is None and self.status in (SampleStatus.ERROR, SampleStatus.CANCELLED)


class AgentIdentity(Record):
    """Which agent answered. `url` is where, without user info and query."""

    name: str
    provider: Provider
    label: str
    url: str | None = None


class VariantIdentity(Record):
    """Which variant of a variant set it was."""

    variant_set_name: str
    variant_label: str
    prompt_version: str | None = None
    model_version: str | None = None
    tool_schema_version: str | None = None
    config_label: str | None = None
    config_hash: str | None = None


class Normalization(Record):
    """How outputs of a scenario are made alike before two of them are compared."""

    strip_whitespace: Flag = False
    lowercase: Flag = False
    ignore_dates: Flag = False


class Brief(Record):
    """What a scenario asks for, in its author's words.

    `instructions` are a task's, or those by which a simulation's user is played; `steps` are what the user of a
    conversation says; `expected` is what the judge of a simulation holds the agent to, or a task's hint.
    """

    instructions: str | None = None
    steps: tuple[str, ...] = ()
    expected: str | None = None


class ScenarioFacts(Record):
    """What is known of a scenario before its first sample. `file` and `agent` are None in imported runs.

    `steps` is how many a conversation has, `brief` what it asks for, None where nobody knows. `skipped` is the
    reason why the scenario was not run at all. `normalize` is None where outputs are compared as they are,
    and `baseline` where there is no baseline at all.
    """

    scenario_id: str
    name: str
    type: ScenarioType
    suite: str
    tags: tuple[str, ...] = ()
    file: str | None
    line: Ordinal | None
    hash: str | None
    steps: Ordinal | None = None
    brief: Brief | None = Field(None, exclude_if=lambda value: value is None)
    normalize: Normalization | None = Field(None, exclude_if=lambda value: value is None)
    agent: AgentIdentity | None
    variant: VariantIdentity | None = None
    gate: Flag = True
    baseline: BaselineFacts | None = None
    skipped: Name | None = None
    samples_wanted: Count
    pass_rate: Rate

    @property
    def key(self) -> RowKey:
        """What tells this row from every other of the run."""
        return (self.variant.variant_label if self.variant else None, self.scenario_id)

    @property
    def title(self) -> str:
        """Id, with the variant in a variant set: unlike every other's of the run."""
        return f"{self.scenario_id} · {self.variant.variant_label}" if self.variant else self.scenario_id

    @property
    def goes_by_name(self) -> bool:
        """Whether people know it by its name: its id is another tool's, or a code such as LiveKit's `SCN_…`."""
        says_something = self.file is not None and "." in self.scenario_id
        return not says_something and self.name.strip() not in ("", self.scenario_id)


class ScenarioResult(ScenarioFacts):
    """A scenario with the samples that have ended so far, by number, and the verdict that follows."""

    verdict: Verdict
    passed: Count
    needed: Count
    label: Label | None
    samples: tuple[SampleResult, ...]
    baseline: BaselineComparison | None = None

    @property
    def below_bar(self) -> bool:
        """Whether it finished below the bar, gating or not."""
        return self.verdict is Verdict.FAILED

    @property
    def unfinished(self) -> int:
        """How many of its samples have not run to their end."""
        return self.samples_wanted - sum(sample.status.finished for sample in self.samples)

    @property
    def could_not_be_judged(self) -> bool:
        """Whether errors alone keep it below the bar."""
        return self.below_bar and could_not_be_judged(
            passed=self.passed,
            errors=self.count(SampleStatus.ERROR),
            unfinished=self.unfinished,
            needed=self.needed,
        )

    @property
    def regressed(self) -> bool:
        """Whether it stands worse than in the baseline."""
        return self.baseline is not None and self.baseline.state is BaselineState.REGRESSED

    @property
    def stopped_early(self) -> bool:
        """Whether samples were left out because the verdict was settled."""
        return any(s.termination_reason is TerminationReason.SETTLED for s in self.samples)

    @property
    def agent_given_up(self) -> bool:
        """Whether its agent was given up on; it then says nothing of how often the agent passes."""
        return any(sample.agent_given_up for sample in self.samples)

    def count(self, status: SampleStatus) -> int:
        """Count its samples of one status."""
        return sum(sample.status is status for sample in self.samples)


class SourceIdentity(Record):
    """The commit and CI run that the results belong to; None where unknown."""

    commit: str | None = None
    ref: str | None = None
    pull_request: Ordinal | None = None
    run_url: str | None = None


class SamplingFacts(Record):
    """The run's own sampling, which scenarios may override."""

    samples: Ordinal
    pass_rate: Rate
    stop_when_settled: Flag


class ScenarioCounts(Record):
    """Scenarios by verdict; `total` leaves out the skipped ones."""

    total: Count
    passed: Count
    failed: Count
    unfinished: Count
    skipped: Count


class SampleCounts(Record):
    """Samples by status."""

    passed: Count
    failed: Count
    error: Count
    cancelled: Count


class PassShare(Record):
    """`passed` of `of` scenarios with k samples; `variant` only in a variant set."""

    k: Ordinal
    passed: Count
    of: Ordinal
    variant: str | None = Field(None, exclude_if=lambda value: value is None)


class Summary(Record):
    """The run in figures. `cost_usd` is None unless a sample's cost is known.

    `simulation_cost_usd` is apart from it: what the models cost that played users and judged, where it is known.
    """

    verdict: Verdict
    exit_code: ExitCode
    scenarios: ScenarioCounts
    samples: SampleCounts
    pass_at_k: tuple[PassShare, ...]
    pass_hat_k: tuple[PassShare, ...]
    cost_usd: Annotated[Number, Field(ge=0)] | None
    simulation_cost_usd: Annotated[Number, Field(ge=0)] | None = Field(
        None, exclude_if=lambda value: value is None
    )
    duration_ms: Figure


class ImportedRun(Record):
    """Another tool's run that the results were read from: its id, its status and its error in that tool's words.

    `completed` is whether it came to its end; `failed` that it never will, so that what is unfinished stays so.
    `doubt` is how the counts that it gives differ from what is there, None where they do not.
    """

    tool: Name
    run_id: str
    status: str
    error: str | None = None
    completed: Flag
    failed: Flag = False
    doubt: str | None = Field(None, exclude_if=lambda value: value is None)

    @property
    def remarkable(self) -> bool:
        """Whether there is more to say of the run than its samples do."""
        return not self.completed or self.error is not None or self.doubt is not None


class BatchFacts(Record):
    """What is known of a run as a whole, apart from its scenarios.

    `baseline` is None without one, `imported` None for agentlab's own runs.
    """

    version: Literal[1] = 1
    tool: str
    batch_id: str
    started_at: str
    ended_at: str
    sampling: SamplingFacts
    errors_count_as: Literal["not passed"] = "not passed"
    source: SourceIdentity = SourceIdentity()
    baseline: BaselineSource | None = Field(None, exclude_if=lambda value: value is None)
    imported: ImportedRun | None = Field(None, exclude_if=lambda value: value is None)


class RunReport(BatchFacts):
    """results.json: the run, its figures, and its scenarios in YAML order."""

    summary: Summary
    scenarios: tuple[ScenarioResult, ...]

    @property
    def gating_below_bar(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that make the run red."""
        return tuple(s for s in self.scenarios if s.below_bar and s.gate)

    @property
    def judged(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that were not skipped."""
        return tuple(s for s in self.scenarios if s.verdict is not Verdict.SKIPPED)
