import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.turn_parts import LEFT_OUT, LOG_CHARACTERS, SessionLog


def shown(line: str, secret: str) -> str:
    log = SessionLog(lambda text: text.replace(secret, "***"))
    log.add(line)
    [told] = log.take()
    return told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x" * LOG_CHARACTERS, "x" * LOG_CHARACTERS),
        ("x" * (LOG_CHARACTERS + 1), "x" * LOG_CHARACTERS + LEFT_OUT),
        ("x" * 99_999, "x" * LOG_CHARACTERS + LEFT_OUT),
        ("secret" * 100, "***" * 100 + LEFT_OUT),
    ],
)
def test_a_long_line_is_cut(line: str, told: str) -> None:
    assert shown(line, "secret") == told


@given(length=st.integers(6, 16_000), times=st.integers(1, 90), before=st.integers(0, 600))
@settings(derandomize=True, deadline=None)
def test_no_part_of_a_secret_is_shown_however_often_it_stands_there(length: int, times: int, before: int) -> None:
    line = "-" * before + ("s" * length) * times
    assume(len(line) > LOG_CHARACTERS)  # one that is not cut is masked with the rest of the results
    told = shown(line, "s" * length)
    assert "s" not in told.removesuffix(LEFT_OUT)
