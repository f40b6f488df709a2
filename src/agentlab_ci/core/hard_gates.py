"""Hard gates that an agent has lost: what it never missed before it now mostly misses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode

JUDGED = (SampleStatus.PASSED, SampleStatus.FAILED)
GateKey = tuple[int | None, str]
"""(step, id); the step counts from 1 and is None at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostGate:
    """A hard gate that is missed in `missed` of `of` new samples. `step` counts from 1, None at the end."""

    id: str
    step: int | None
    missed: int
    of: int


def find_lost_gates(old: Sequence[SampleResult], new: Sequence[SampleResult]) -> tuple[LostGate, ...]:
    """Return the hard gates that passed in all judged old samples and fail in most new ones, in their order."""
    return find_missed_gates(find_held_gates(old), new)


def find_held_gates(samples: Sequence[SampleResult]) -> tuple[GateKey, ...]:
    """Return the hard gates that passed in all judged samples, which must be most of them all.

    Errors count as samples without an answer; samples left out because the verdict was settled do not count.
    """
    judged = [_hard_gates(sample) for sample in samples if sample.status in JUDGED]
    if 2 * len(judged) <= _count(samples):
        return ()
    return tuple(key for key in judged[0] if all(gates.get(key) is True for gates in judged))


def find_missed_gates(held: Iterable[GateKey], samples: Sequence[SampleResult]) -> tuple[LostGate, ...]:
    """Return those of the hard gates that fail in most samples, which are counted as above."""
    judged = [_hard_gates(sample) for sample in samples if sample.status in JUDGED]
    of = _count(samples)
    missed = {key: sum(gates.get(key) is False for gates in judged) for key in held}
    return tuple(
        LostGate(id=id_, step=step, missed=times, of=of) for (step, id_), times in missed.items() if 2 * times > of
    )


def _hard_gates(sample: SampleResult) -> dict[GateKey, bool]:
    gates: dict[GateKey, bool] = {}
    for evaluation in sample.evaluations:
        if evaluation.mode is Mode.HARD_GATE:
            key = (evaluation.step, evaluation.id)
            gates[key] = evaluation.passed and gates.get(key, True)
    return gates


def _count(samples: Sequence[SampleResult]) -> int:
    return sum(sample.termination_reason is not TerminationReason.SETTLED for sample in samples)
