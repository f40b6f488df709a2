from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.text_diff import LONGEST_LINE, MOST_LINES, diff_lines


def test_equal_texts_have_no_difference() -> None:
    assert diff_lines(["a", "b"], ["a", "b"]) == ()


def test_what_changed_stands_between_its_neighbours() -> None:
    old = ["one", "two", "three", "four", "five"]
    new = ["one", "two", "3", "four", "five"]
    assert diff_lines(old, new) == (" two", "-three", "+3", " four")


def test_lines_that_only_moved_in_between_are_not_taken_for_changed() -> None:
    old = ["a", "b", "c", "d"]
    new = ["x", "b", "c", "y", "d"]
    assert diff_lines(old, new) == ("-a", "+x", " b", " c", "+y", " d")


def test_a_side_may_be_empty() -> None:
    assert diff_lines([], ["a"]) == ("+a",)
    assert diff_lines(["a"], []) == ("-a",)


def test_a_change_far_into_a_long_line_shows() -> None:
    same = "x" * 10_000
    removed, added = diff_lines([f"{same} ord_1024 {same}"], [f"{same} ord_1 {same}"])
    assert removed.startswith("-…x")
    assert " ord_1024 x" in removed
    assert " ord_1 x" in added
    assert max(len(removed), len(added)) <= LONGEST_LINE + 3


def test_a_long_difference_is_cut_and_counted() -> None:
    lines = diff_lines([], [str(number) for number in range(100)])
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == f"@ {100 - MOST_LINES} more lines"


def test_many_lines_cost_no_more_than_few() -> None:
    # Matched with each other, these would take minutes.
    old = ["x", "y"] * 20_000
    new = ["y", "x"] * 20_000
    assert len(diff_lines(old, new)) == MOST_LINES + 1


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.text(alphabet="ab", max_size=3), max_size=8),
    st.lists(st.text(alphabet="ab", max_size=3), max_size=8),
)
def test_old_and_new_lines_can_be_read_from_it(old: list[str], new: list[str]) -> None:
    lines = diff_lines(old, new)
    assert (lines == ()) is (old == new)
    for side, sign in ((old, "-"), (new, "+")):
        told = [line[1:] for line in lines if line[0] in (" ", sign)]
        assert any(side[start : start + len(told)] == told for start in range(len(side) + 1))
