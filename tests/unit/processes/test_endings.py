import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.processes.endings import BEGINNING_LEFT_OUT, join_ends, keep_end, keep_last_lines

MARK = len(BEGINNING_LEFT_OUT.encode())
TEXT = st.text(alphabet=st.sampled_from("ab é😀\n\ud800"), max_size=2000) | st.just("line\n" * 2000)


def size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("x" * 600, "x" * 600),
        ("x" * 601, BEGINNING_LEFT_OUT + "x" * (600 - MARK)),
        ("é" * 400, BEGINNING_LEFT_OUT + "é" * ((600 - MARK) // 2)),
        ("x" * 600 + "\n" + "y" * 500, BEGINNING_LEFT_OUT + "y" * 500),  # from the start of a line
        (
            "x" * 600 + "\n" + "y" * 20,
            BEGINNING_LEFT_OUT + "x" * (600 - MARK - 21) + "\n" + "y" * 20,
        ),  # unless little is left
    ],
)
def test_the_end_is_kept_and_what_is_missing_is_said(text: str, kept: str) -> None:
    assert keep_end(text, 600) == kept


@given(text=TEXT)
@settings(derandomize=True, deadline=None)
def test_the_end_is_within_its_limit_and_stays_as_it_is(text: str) -> None:
    kept = keep_end(text, 600)
    assert size(kept) <= 600
    assert keep_end(kept, 600) == kept
    assert whole(text).endswith(whole(kept.removeprefix(BEGINNING_LEFT_OUT)))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x" * 600, "x" * 600),
        ("x" * 601, "x" * 601),  # one line, which stays whole
        ("x" * 601 + "\n", "x" * 601 + "\n"),
        ("x" * 601 + "\ny\n", BEGINNING_LEFT_OUT + "y\n"),
        ("y\n" + "x" * 601 + "\n", BEGINNING_LEFT_OUT + "x" * 601 + "\n"),
        (
            "x" * 90 + "\n" + "y" * (600 - MARK),
            BEGINNING_LEFT_OUT + "y" * (600 - MARK),
        ),  # exactly as long as there is room
    ],
)
def test_of_lines_none_is_cut(text: str, kept: str) -> None:
    assert keep_last_lines(text, 600) == kept


@given(first=TEXT, second=TEXT)
@settings(derandomize=True, deadline=None)
def test_two_ends_share_the_room(first: str, second: str) -> None:
    joined = join_ends(first, second, 1000)
    assert size(joined) <= 1000
    assert whole(joined).endswith(whole((second or first)[-10:]))
    if size(first) + size(second) < 1000:
        assert joined == "\n".join(part for part in (first, second) if part)


def test_neither_takes_the_others_half() -> None:
    joined = join_ends("a" * 5000, "b" * 5000)
    assert joined.count("a") > 900
    assert joined.count("b") > 900
