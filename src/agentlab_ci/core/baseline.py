"""A baseline: what somebody has approved of, in a file that is small enough to be reviewed and committed.

It holds counts, ids and hashes, and nothing that an agent said.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from agentlab_ci.core.sampling import MAX_SAMPLES
from agentlab_ci.core.trace import Count, Ordinal, Record

SampleCount = Annotated[Ordinal, Field(le=MAX_SAMPLES)]


class BaselineState(StrEnum):
    """How a scenario stands against the baseline."""

    NEW = "new"
    """The baseline does not have it."""
    FIXED = "fixed"
    STILL_FAILING = "still_failing"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    """It passed, and passes."""
    NOT_COMPARABLE = "not_comparable"


class HardGate(Record):
    """A hard gate by its id; `step` counts from 1, None at the end."""

    id: str
    step: Ordinal | None = Field(None, exclude_if=lambda value: value is None)


class LostHardGate(HardGate):
    """One that passed in all approved samples, and is missed in `missed` of `of` new ones: in most."""

    missed: Count
    of: Count


class ApprovedScenario(Record):
    """One line of a baseline file: how a scenario stood, and the batch in which it first stood so.

    `variant` is None outside a variant set. `hard_gates` are those that passed in all judged samples. `commit` is
    None where it is unknown; `ended_at` is the end of the batch, UTC.
    """

    scenario_id: str
    variant: str | None = Field(None, exclude_if=lambda value: value is None)
    hash: str | None
    verdict: Literal["passed", "failed"]
    passed: Count
    samples: SampleCount
    needed: SampleCount
    hard_gates: tuple[HardGate, ...]
    batch_id: str
    commit: str | None = Field(None, exclude_if=lambda value: value is None)
    ended_at: str

    @property
    def key(self) -> tuple[str | None, str]:
        """What tells it from every other: variant and id."""
        return (self.variant, self.scenario_id)


class BaselineFile(Record):
    """The file as a whole; `scenarios` are sorted by id and variant."""

    version: Literal[1]
    scenarios: tuple[ApprovedScenario, ...]


class BaselineFacts(Record):
    """What a baseline says of a scenario; `approved` is None where it does not have it."""

    approved: ApprovedScenario | None


class BaselineComparison(BaselineFacts):
    """How a judged scenario stands against the baseline.

    `reason` says why it is not comparable, and is empty where it is.
    """

    state: BaselineState
    reason: str = ""
    lost_gates: tuple[LostHardGate, ...] = ()


class VanishedScenario(Record):
    """A scenario of the baseline that is in no scenario file any more, or whose variant is not in its set."""

    scenario_id: str
    variant: str | None = Field(None, exclude_if=lambda value: value is None)

    @property
    def key(self) -> tuple[str | None, str]:
        """What tells it from every other: variant and id."""
        return (self.variant, self.scenario_id)

    @property
    def title(self) -> str:
        """Id, with the variant in a variant set."""
        return f"{self.scenario_id} · {self.variant}" if self.variant is not None else self.scenario_id


class BaselineSource(Record):
    """Which baseline a run was held against, as the user named it, and what of it is gone."""

    file: str
    vanished: tuple[VanishedScenario, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A baseline that was read. `file` is its path as the user gave it; `approved` its lines by variant and id."""

    file: str
    approved: Mapping[tuple[str | None, str], ApprovedScenario]

    def facts_of(self, key: tuple[str | None, str]) -> BaselineFacts:
        """Return what it says of a scenario."""
        return BaselineFacts(approved=self.approved.get(key))

    def find_vanished(self, scenario_ids: Iterable[str], variants: Iterable[str | None]) -> BaselineSource:
        """Name what is gone: `scenario_ids` are all that there are, run or not; `variants` are those of the run.

        Outside a variant set the run has the one variant None. What the baseline has of variants in a run without
        them, and the other way round, is not looked at.
        """
        there, ran = set(scenario_ids), set(variants)
        in_set = ran != {None}
        gone = (
            VanishedScenario(scenario_id=scenario_id, variant=variant)
            for variant, scenario_id in self.approved
            if (variant is not None) is in_set and (scenario_id not in there or variant not in ran)
        )
        return BaselineSource(file=self.file, vanished=tuple(gone))
