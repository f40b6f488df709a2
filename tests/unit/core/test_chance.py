from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.chance import happens

KEYS = st.lists(st.one_of(st.integers(), st.text(max_size=5)), min_size=1, max_size=4)


@settings(derandomize=True, deadline=None)
@given(key=KEYS)
def test_what_is_certain_happens_and_what_is_impossible_does_not(key: list[str | int]) -> None:
    assert happens(1, *key)
    assert not happens(0, *key)


@settings(derandomize=True, deadline=None)
@given(key=KEYS, low=st.floats(0, 1), high=st.floats(0, 1))
def test_what_happens_also_happens_when_it_is_more_likely(key: list[str | int], low: float, high: float) -> None:
    assert happens(min(low, high), *key) <= happens(max(low, high), *key)


def test_it_happens_as_often_as_it_says() -> None:
    assert 270 <= sum(happens(0.3, 7, "a.one", number) for number in range(1000)) <= 330


def test_a_draw_is_the_same_in_every_version_and_process() -> None:
    drawn = "".join("x" if happens(0.5, 0, "a.one", 1, "tool", 0, call) else "." for call in range(1, 13))
    assert drawn == "..x.xxx.xx.x"
