"""What is shown where there is not room for all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.reports.fitting import choose


@pytest.mark.parametrize(
    ("sizes", "room", "first", "chosen"),
    [
        ([3, 3, 3], 9, (), (0, 1, 2)),
        ([3, 3, 3], 8, (), (0, 1)),
        ([3, 3, 3], 8, (2,), (0, 2)),  # what comes first is taken first but shown in its place
        ([9, 3, 3], 8, (0,), (1, 2)),  # what is too big is passed over
        ([3], 2, (), ()),
        ([3], -1, (), ()),
        ([], 5, (), ()),
    ],
)
def test_choose(sizes: list[int], room: int, first: tuple[int, ...], chosen: tuple[int, ...]) -> None:
    assert choose(sizes, room, first=first) == chosen


@given(st.lists(st.integers(1, 50)), st.integers(-5, 500), st.sets(st.integers(0, 20)))
@settings(derandomize=True, deadline=None)
def test_what_is_chosen_fits_and_nothing_else_would(sizes: list[int], room: int, first: set[int]) -> None:
    chosen = choose(sizes, room, first=first)
    left = room - sum(sizes[index] for index in chosen)
    assert left >= 0 or not chosen
    assert all(sizes[index] > left for index in range(len(sizes)) if index not in chosen)
    assert list(chosen) == sorted(set(chosen))
