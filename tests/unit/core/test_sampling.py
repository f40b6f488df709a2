"""The bar in whole samples, and which samples may still start."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.sampling import PassRate, Sampling, needed, room_to_start

RULES = settings(derandomize=True, deadline=None)
RATES = st.decimals(min_value=0, max_value=1, places=4).filter(bool).map(lambda d: PassRate(format(d, "f")))


@pytest.mark.parametrize(
    ("samples", "rate", "expected"),
    [
        (3, ".34", 1),  # 1.02
        (3, ".5", 2),  # 1.5: half a sample rounds up
        (3, ".6", 2),  # 1.8
        (3, ".67", 2),  # 2.01
        (3, ".75", 2),  # 2.25: the default asks for two of three
        (3, ".8", 2),  # 2.4
        (3, ".833", 2),  # 2.499
        (3, ".8334", 3),  # 2.5002: the step to three lies between these two
        (3, ".9", 3),  # 2.7
        (3, "1", 3),
        (5, ".5", 3),  # 2.5: banker's rounding would say 2
        (5, ".75", 4),  # 3.75
        (5, ".9", 5),  # 4.5: banker's rounding would say 4
        (2, ".75", 2),  # 1.5
        (4, ".75", 3),  # exact
        (7, ".75", 5),  # 5.25
        (9, ".5", 5),  # 4.5: banker's rounding would say 4
        (1, ".01", 1),  # never nought
        (5, ".1", 1),  # 0.5, which as a sum of floats may fall either way
        (1000, ".0005", 1),  # 0.5
        (1000, ".0015", 2),  # 1.5
        (1000, "1.000", 1000),
    ],
)
def test_needed(samples: int, rate: str, expected: int) -> None:
    assert needed(samples, PassRate(rate)) == expected
    assert Sampling(samples=samples, pass_rate=PassRate(rate)).needed == expected


def test_without_a_choice_one_sample_decides() -> None:
    assert Sampling() == Sampling(samples=1, pass_rate=PassRate("0.75"))
    assert Sampling().needed == 1


@RULES
@given(samples=st.integers(1, 1000), rate=RATES)
def test_needed_is_the_nearest_whole_number_and_half_goes_up(samples: int, rate: PassRate) -> None:
    bar = needed(samples, rate)
    wanted = rate.value * samples
    assert 1 <= bar <= samples
    assert bar == 1 or wanted - bar >= Fraction(-1, 2)
    assert wanted - bar < Fraction(1, 2)


@RULES
@given(samples=st.integers(1, 100), low=RATES, high=RATES)
def test_a_higher_rate_never_needs_less(samples: int, low: PassRate, high: PassRate) -> None:
    low, high = sorted((low, high), key=lambda rate: rate.value)
    assert needed(samples, low) <= needed(samples, high)


@pytest.mark.parametrize(
    "text",
    [
        "0",  # would pass everything
        "0.000",
        "1.5",
        "1.0001",
        "-0.5",
        "+0.5",
        "abc",
        "",
        " 0.5",
        "0.5\n",
        "75%",
        "3/4",  # exact, but not a plain decimal
        "1e-1",
        "nan",
        "NaN",
        "inf",
        "1_0",
        ".",
        "0,75",
        "٠.٥",  # digits of another script
    ],
)
def test_a_pass_rate_is_a_plain_decimal_above_0_and_at_most_1(text: str) -> None:
    with pytest.raises(ValueError, match="a pass rate is a decimal above 0 and at most 1"):
        PassRate(text)


@pytest.mark.parametrize("text", [".5", "0.50", "1", "1.", "1.000", "0.0000001"])
def test_a_pass_rate_keeps_what_was_typed(text: str) -> None:
    assert str(PassRate(text)) == text


@st.composite
def _races(draw: st.DrawFn) -> tuple[int, list[bool], int, list[int]]:
    """A bar, the outcome of each sample, a number of slots, and who finishes next among those in flight."""
    outcomes = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    bar = draw(st.integers(1, len(outcomes)))
    order = draw(st.lists(st.integers(0, 8), min_size=len(outcomes), max_size=len(outcomes)))
    return bar, outcomes, draw(st.integers(1, 9)), order


def _run_at_once(bar: int, outcomes: list[bool], slots: int, order: list[int]) -> tuple[int, bool]:
    """Start samples while there is room, let them finish in any order; return how many ran and if it passed."""
    in_flight: list[bool] = []
    started = passed = not_passed = 0
    for finisher in order:
        room = room_to_start(samples=len(outcomes), needed=bar, passed=passed, not_passed=not_passed)
        while len(in_flight) < min(room, slots) and started < len(outcomes):
            in_flight.append(outcomes[started])
            started += 1
        if not in_flight:
            break
        if in_flight.pop(finisher % len(in_flight)):
            passed += 1
        else:
            not_passed += 1
    assert not in_flight
    return started, passed >= bar


def _run_one_by_one(bar: int, outcomes: list[bool]) -> tuple[int, bool]:
    for ran in range(len(outcomes) + 1):
        passed = outcomes[:ran].count(True)
        if passed >= bar or passed + len(outcomes) - ran < bar:
            return ran, passed >= bar
    raise AssertionError("a scenario whose samples have all finished is settled")


@settings(RULES, max_examples=1000)
@given(race=_races())
def test_samples_run_at_once_are_those_of_a_one_by_one_run(race: tuple[int, list[bool], int, list[int]]) -> None:
    bar, outcomes, slots, order = race
    assert _run_at_once(bar, outcomes, slots, order) == _run_one_by_one(bar, outcomes)


@RULES
@given(samples=st.integers(1, 9), data=st.data())
def test_there_is_room_exactly_until_the_verdict_is_settled(samples: int, data: st.DataObject) -> None:
    bar = data.draw(st.integers(1, samples))
    passed = data.draw(st.integers(0, samples))
    not_passed = data.draw(st.integers(0, samples - passed))
    room = room_to_start(samples=samples, needed=bar, passed=passed, not_passed=not_passed)
    settled = passed >= bar or not_passed > samples - bar
    assert (room == 0) == settled
    assert 0 <= room <= samples - passed - not_passed
