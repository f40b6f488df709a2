"""How long a busy agent is waited for, and how long to pause before a sample is drawn again. Seconds."""

MAX_WAIT = 60.0
MAX_WAIT_PER_SAMPLE = 120.0
MIN_WAIT = 1.0
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 10.0


def choose_wait(*, retry_after: float | None, attempt: int, waited: float) -> float | None:
    """Return how long to wait before a refused request is sent again; None when it is not worth waiting for.

    `retry_after` is the agent's wish; without one the wait doubles from `MIN_WAIT` with each `attempt`, from 1.
    A wish below `MIN_WAIT` is raised to it, so that "retry after 0" for ever ends too.
    """
    wait = min(MAX_WAIT, MIN_WAIT * 2.0 ** (attempt - 1)) if retry_after is None else max(MIN_WAIT, retry_after)
    if wait > MAX_WAIT or waited + wait > MAX_WAIT_PER_SAMPLE:
        return None
    return wait


def choose_pause(redraws: int) -> float:
    """Return the pause before the next draw of a sample after `redraws` earlier ones."""
    return min(_MAX_PAUSE, _FIRST_PAUSE * 2.0**redraws)
