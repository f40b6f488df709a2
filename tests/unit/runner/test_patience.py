"""How long a busy agent is waited for."""

import pytest

from agentlab_ci.runner.patience import choose_pause, choose_wait


@pytest.mark.parametrize(
    ("retry_after", "attempt", "waited", "wait"),
    [
        (7, 1, 0, 7.0),  # the agent's wish
        (0, 1, 0, 1.0),  # no wish is too short to end
        (60, 1, 0, 60.0),  # the longest wait
        (61, 1, 0, None),  # longer ends the sample at once
        (86_400, 1, 0, None),
        (60, 2, 60, 60.0),  # two minutes a sample
        (60, 3, 61, None),
        (None, 1, 0, 1.0),  # without a wish the wait doubles
        (None, 4, 7, 8.0),
        (None, 7, 60, 60.0),  # up to a minute
        (None, 7, 63, None),
    ],
)
def test_the_wait(retry_after: float | None, attempt: int, waited: float, wait: float | None) -> None:
    assert choose_wait(retry_after=retry_after, attempt=attempt, waited=waited) == wait


def test_the_pause_before_a_redraw_doubles_up_to_ten_seconds() -> None:
    assert [choose_pause(redraws) for redraws in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0]
