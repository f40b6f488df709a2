"""pass@k and pass^k as counts, and the one form in which shares are written."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.sample import SampleStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCounts:
    """Over the `of` scenarios whose k samples all finished: how many passed at least once, and every time."""

    k: int
    at_least_once: int
    every_time: int
    of: int


def count_passes(scenarios: Sequence[Sequence[SampleStatus]], *, k: int) -> PassCounts | None:
    """Count pass@k and pass^k over the scenarios whose k samples finished; None when k = 1 or there are none."""
    complete = [statuses for statuses in scenarios if len(statuses) == k and all(s.finished for s in statuses)]
    if k == 1 or not complete:
        return None
    return PassCounts(
        k=k,
        at_least_once=sum(SampleStatus.PASSED in statuses for statuses in complete),
        every_time=sum(all(s is SampleStatus.PASSED for s in statuses) for statuses in complete),
        of=len(complete),
    )


def format_share(part: int, whole: int) -> str:
    """Write part/whole with two decimals, half up; 1.00 and 0.00 only when exact."""
    hundredths = (200 * part + whole) // (2 * whole)
    if 0 < part < whole:
        hundredths = min(99, max(1, hundredths))
    return f"{hundredths // 100}.{hundredths % 100:02d}"
