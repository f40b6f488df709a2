import pytest

from agentlab_ci.loading.wording import did_you_mean, listed, printable, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 😀", "plain é 😀"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202e\u200b", "\\u202e\\u200b"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_is_not_printable_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut() -> None:
    assert quoted("x" * 200) == f"`{'x' * 79}…`"


def test_names_are_listed_once_and_not_without_end() -> None:
    assert listed(["b", "a", "b"]) == "`b`, `a`"
    assert listed(str(number) for number in range(15)).endswith("`11` and 3 more")


def test_the_nearest_name() -> None:
    assert did_you_mean("stepz", ["steps", "state"]) == "; did you mean `steps`?"
    assert did_you_mean("zzz", ["steps"]) == "; there is `steps`"
    assert did_you_mean("zzz", []) == "; there is none"
