"""pass@j, pass^j, Wilson's interval, bins and slots: against brute force, and against figures worked by hand."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.estimates import (
    Tally,
    histogram,
    mean_pass_at,
    mean_pass_hat,
    pass_at,
    pass_hat,
    quantile,
    slots,
    wilson,
)

finite = st.floats(0, 1e24, allow_nan=False)
fixed = settings(derandomize=True, deadline=None)


@pytest.mark.parametrize(("n", "c"), [(n, c) for n in range(1, 9) for c in range(n + 1)])
def test_chances_are_shares_of_all_draws(n: int, c: int) -> None:
    samples = [True] * c + [False] * (n - c)
    for j in range(1, n + 1):
        draws = list(combinations(samples, j))
        assert len(draws) == comb(n, j)
        assert pass_at(n, c, j) == Fraction(sum(any(draw) for draw in draws), len(draws))
        assert pass_hat(n, c, j) == Fraction(sum(all(draw) for draw in draws), len(draws))


def test_three_of_four() -> None:
    assert [pass_at(4, 3, j) for j in range(1, 5)] == [Fraction(3, 4), 1, 1, 1]
    assert [pass_hat(4, 3, j) for j in range(1, 5)] == [Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), 0]


def test_more_than_was_taken_is_undefined() -> None:
    assert pass_at(3, 3, 4) is None
    assert pass_hat(3, 3, 4) is None


def test_means_are_over_the_scenarios_where_they_are_defined() -> None:
    tallies = {Tally(samples=3, passed=2): 3, Tally(samples=1, passed=1): 1}
    assert mean_pass_at(tallies, 1) == Fraction(3, 4)
    assert mean_pass_hat(tallies, 3) == 0
    assert mean_pass_at(tallies, 4) is None
    assert mean_pass_at({}, 1) is None


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [(3, 3, 0.44, 1), (2, 3, 0.21, 0.94), (0, 3, 0, 0.56), (1, 1, 0.21, 1), (50, 100, 0.40, 0.60)],
)
def test_wilson(passed: int, n: int, low: float, high: float) -> None:
    interval = wilson(passed, n)
    assert interval is not None
    assert (round(interval.low, 2), round(interval.high, 2)) == (low, high)


def test_nothing_seen_has_no_interval() -> None:
    assert wilson(0, 0) is None


@fixed
@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate_and_mirrors_that_of_the_failures(counts: tuple[int, int]) -> None:
    passed, n = counts
    interval, mirrored = wilson(passed, n), wilson(n - passed, n)
    assert interval is not None
    assert mirrored is not None
    assert 0 <= interval.low <= passed / n <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirrored.high)


def test_bins_are_round() -> None:
    bins = histogram([0, 40, 110, 190, 200], most=4)
    assert [(it.low, it.high, it.count) for it in bins] == [(0, 50, 2), (50, 100, 0), (100, 150, 1), (150, 200, 2)]
    assert histogram([]) == ()
    assert [(it.low, it.high, it.count) for it in histogram([7, 7])] == [(7, 7, 2)]


@fixed
@given(st.lists(finite, min_size=1, max_size=60), st.integers(1, 30))
def test_every_value_is_in_one_of_the_few_bins(values: list[float], most: int) -> None:
    bins = histogram(values, most=most)
    assert sum(it.count for it in bins) == len(values)
    assert len(bins) <= most + 1
    assert bins[0].low <= min(values) * (1 + 1e-9)
    assert bins[-1].high * (1 + 1e-9) >= max(values)


def test_quantiles_are_values_that_were_seen() -> None:
    values = [5, 1, 4, 2, 3]
    assert [quantile(values, Fraction(share)) for share in ("0.2", "0.5", "0.9", "1")] == [1, 3, 5, 5]


def test_slots_are_taken_again_as_soon_as_they_are_free() -> None:
    assert slots([(0, 10), (0, 5), (5, 5), (10, 1), (3, 1)]) == (1, 0, 0, 0, 2)
    assert slots([]) == ()


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < sum(other) and other[0] < sum(one)


def _most_at_once(intervals: Sequence[tuple[int, int]]) -> int:
    return max((sum(start <= at < start + length for start, length in intervals) for at in range(60)), default=0)


@fixed
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20)), max_size=25))
def test_no_slot_holds_two_at_once_and_none_is_spare(intervals: list[tuple[int, int]]) -> None:
    given_slots = slots(intervals)
    for (one, slot), (other, another) in combinations(zip(intervals, given_slots, strict=True), 2):
        assert slot != another or not _overlap(one, other)
    assert len(set(given_slots)) == _most_at_once(intervals)
