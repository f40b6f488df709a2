"""What counts say beyond themselves: unbiased pass@j and pass^j, intervals, distributions, and slots of time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

Z_95 = 1.96
"""Standard normal quantile of a two-sided interval of 95 %."""
_STEPS = (1, 2, 2.5, 5, 10)
"""What a bin of a histogram may be wide, times a power of ten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of a scenario's `samples` passed."""

    samples: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """From `low` to `high`, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """How many values are at least `low` and below `high`; the last bin holds its upper end too."""

    low: float
    high: float
    count: int


def pass_at(n: int, c: int, j: int) -> Fraction | None:
    """Return the chance that at least one of j samples passed, drawn from n of which c passed, without return.

    `1 - C(n-c, j) / C(n, j)`: Chen et al. 2021, Evaluating Large Language Models Trained on Code, section 2.1.
    None when j > n: so many were never taken.
    """
    return None if j > n else 1 - Fraction(math.comb(n - c, j), math.comb(n, j))


def pass_hat(n: int, c: int, j: int) -> Fraction | None:
    """Return the chance that all of j samples passed, drawn as in `pass_at`; None when j > n.

    `C(c, j) / C(n, j)`: Yao et al. 2024, tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World
    Domains.
    """
    return None if j > n else Fraction(math.comb(c, j), math.comb(n, j))


def mean_pass_at(tallies: Mapping[Tally, int], j: int) -> Fraction | None:
    """Return the mean of pass@j over the scenarios that have j samples; None when none has.

    `tallies` says how many scenarios there are of each tally.
    """
    return _mean((pass_at(it.samples, it.passed, j), count) for it, count in tallies.items())


def mean_pass_hat(tallies: Mapping[Tally, int], j: int) -> Fraction | None:
    """Return the mean of pass^j over the scenarios that have j samples; None when none has."""
    return _mean((pass_hat(it.samples, it.passed, j), count) for it, count in tallies.items())


def wilson(passed: int, n: int, z: float = Z_95) -> Interval | None:
    """Return the score interval of a rate of which `passed` of `n` were seen; None when n = 0.

    Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference. Unlike the normal
    approximation it stays within 0 and 1, and is wide where all of a few samples agree.
    """
    if n == 0:
        return None
    rate, spread = passed / n, z * z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / n + spread / (4 * n)) / (1 + spread)
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    return Interval(low=low, high=1.0 if passed == n else min(1.0, middle + half))


def histogram(values: Sequence[float], *, most: int = 20) -> tuple[Bin, ...]:
    """Count finite values in at most `most` bins of one round width, from the lowest value to the highest.

    A width is 1, 2, 2.5 or 5 times a power of ten, and every bin begins at a multiple of it. Equal values share
    one bin of no width.
    """
    if not values:
        return ()
    lowest, highest = min(values), max(values)
    width = _round_width((highest - lowest) / most)
    if width == 0 or lowest + width == lowest:
        return (Bin(low=lowest, high=highest, count=len(values)),)
    first = math.floor(lowest / width)
    counts = [0] * (max(1, math.ceil(highest / width) - first))
    for value in values:
        counts[min(len(counts) - 1, max(0, math.floor(value / width) - first))] += 1
    return tuple(
        Bin(low=(first + place) * width, high=(first + place + 1) * width, count=count)
        for place, count in enumerate(counts)
    )


def quantile(values: Sequence[float], share: Fraction) -> float:
    """Return the smallest value that at least `share` of them do not exceed (nearest rank); 0 < share <= 1."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def slots(intervals: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Give each (start, length) the lowest slot that is free, in order of their starts: greedy partitioning.

    It takes as few slots as there are intervals at the same time. Nobody stores which worker ran a sample; this
    is one way in which it can have been. What begins as another ends does not overlap it.
    """
    given = [0] * len(intervals)
    free: list[int] = []
    busy: list[tuple[float, int]] = []
    for place in sorted(range(len(intervals)), key=lambda index: intervals[index]):
        start, length = intervals[place]
        while busy and busy[0][0] <= start:
            heappush(free, heappop(busy)[1])
        slot = heappop(free) if free else len(busy)
        heappush(busy, (start + length, slot))
        given[place] = slot
    return tuple(given)


def _mean(counted: Iterable[tuple[Fraction | None, int]]) -> Fraction | None:
    defined = [(share * count, count) for share, count in counted if share is not None]
    of = sum(count for _, count in defined)
    return sum((total for total, _ in defined), Fraction(0)) / of if of else None


def _round_width(least: float) -> float:
    """Return the smallest round width that is not below `least`; 0 for 0."""
    if least <= 0:
        return 0
    power = 10.0 ** math.floor(math.log10(least))
    return next((step * power for step in _STEPS if step * power >= least), 10 * power)
