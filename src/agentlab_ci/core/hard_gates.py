"""Hard gates that an agent has lost: what it never missed before it now mostly misses."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode

JUDGED = (SampleStatus.PASSED, SampleStatus.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LostGate:
    """A hard gate that is missed in `missed` of `of` new samples. `step` counts from 1, None at the end."""

    id: str
    step: int | None
    missed: int
    of: int


def find_lost_gates(old: Sequence[SampleResult], new: Sequence[SampleResult]) -> tuple[LostGate, ...]:
    """Return the hard gates that passed in all judged old samples and fail in most new ones, in their order.

    The judged old samples must be most of the old ones themselves. Errors count as samples without an answer;
    samples left out because the verdict was settled do not count.
    """
    judged = [_hard_gates(sample) for sample in old if sample.status in JUDGED]
    if 2 * len(judged) <= _count(old):
        return ()
    held = [key for key in judged[0] if all(gates.get(key) is True for gates in judged)]
    after = [_hard_gates(sample) for sample in new if sample.status in JUDGED]
    of = _count(new)
    missed = {key: sum(gates.get(key) is False for gates in after) for key in held}
    return tuple(
        LostGate(id=id_, step=step, missed=times, of=of) for (step, id_), times in missed.items() if 2 * times > of
    )


def _hard_gates(sample: SampleResult) -> dict[tuple[int | None, str], bool]:
    gates: dict[tuple[int | None, str], bool] = {}
    for evaluation in sample.evaluations:
        if evaluation.mode is Mode.HARD_GATE:
            key = (evaluation.step, evaluation.id)
            gates[key] = evaluation.passed and gates.get(key, True)
    return gates


def _count(samples: Sequence[SampleResult]) -> int:
    return sum(sample.termination_reason is not TerminationReason.SETTLED for sample in samples)
