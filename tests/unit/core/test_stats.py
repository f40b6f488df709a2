"""pass@k and pass^k."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.stats import PassCounts, count_passes, format_share
from factories import statuses_of

RULES = settings(derandomize=True, deadline=None)


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (3, 4, "0.75"),
        (1, 4, "0.25"),
        (0, 4, "0.00"),
        (4, 4, "1.00"),
        (1, 3, "0.33"),
        (2, 3, "0.67"),
        (1, 8, "0.13"),  # 0.125: half up, where format() says 0.12
        (3, 8, "0.38"),
        (29, 200, "0.15"),  # 0.145, just below it as a float
        (199, 200, "0.99"),  # 0.995 rounds to 1.00, which it is not
        (1, 1000, "0.01"),  # and 0.001 is not nothing
        (999_999, 1_000_000, "0.99"),
    ],
)
def test_format_share(part: int, whole: int, expected: str) -> None:
    assert format_share(part, whole) == expected


@RULES
@given(whole=st.integers(1, 10_000), data=st.data())
def test_a_share_is_exact_at_its_ends_and_near_between(whole: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, whole))
    shown = format_share(part, whole)
    assert (shown == "1.00") == (part == whole)
    assert (shown == "0.00") == (part == 0)
    assert abs(Fraction(shown) - Fraction(part, whole)) <= Fraction(1, 100)


@pytest.mark.parametrize(
    ("scenarios", "k", "expected"),
    [
        (["ppp", "ppf", "fff", "fpf"], 3, (3, 1, 4)),
        (["ppp", "eee", "epp"], 3, (2, 1, 3)),  # an error is finished and not passed
        (["ppp", "ppc"], 3, (1, 1, 1)),  # one cancelled sample drops the scenario
        (["ppp", "pp."], 3, (1, 1, 1)),  # so does one that has not run
        (["ppp", "ppppp"], 3, (1, 1, 1)),  # another k is another line
        (["ppc", "ccc"], 3, None),
        ([], 3, None),
        (["p", "f"], 1, None),  # with one sample there is nothing to tell apart
    ],
)
def test_count_passes(scenarios: list[str], k: int, expected: tuple[int, int, int] | None) -> None:
    counts = count_passes([statuses_of(outcomes) for outcomes in scenarios], k=k)
    if expected is None:
        assert counts is None
    else:
        at_least_once, every_time, of = expected
        assert counts == PassCounts(k=k, at_least_once=at_least_once, every_time=every_time, of=of)


@RULES
@given(
    scenarios=st.lists(st.text("pfec.", min_size=1, max_size=9), max_size=8),
    k=st.integers(2, 9),
    order=st.randoms(use_true_random=False),
)
def test_every_time_is_at_most_at_least_once_and_order_is_nothing(
    scenarios: list[str], k: int, order: Random
) -> None:
    statuses = [statuses_of(outcomes) for outcomes in scenarios]
    counts = count_passes(statuses, k=k)
    if counts is not None:
        assert 0 <= counts.every_time <= counts.at_least_once <= counts.of <= len(scenarios)
    shuffled = [order.sample(row, len(row)) for row in order.sample(statuses, len(statuses))]
    assert count_passes(shuffled, k=k) == counts
