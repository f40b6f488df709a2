import threading
from collections.abc import Callable

import pytest

from agentlab_ci.publish.patience import CANCELLED_SECONDS, TRIES, GaveUpError, Patience, RefusedError, choose_wait
from virtual_clock import VirtualClock

NOW = 1_000.0
DATE = "Thu, 01 Jan 1970 00:17:00 GMT"  # 20 s after NOW


@pytest.mark.parametrize(
    ("status", "message", "headers", "attempt", "wait"),
    [
        # Not processed, or broken for a moment.
        (502, "", {}, 0, 0.5),
        (503, "", {}, 2, 2.0),
        (504, "", {}, 9, 8.0),
        (500, "", {}, 0, 0.5),
        (503, "", {"retry-after": "30"}, 0, 30.0),
        # Too many requests.
        (429, "", {}, 0, 60.0),
        (429, "", {"retry-after": "0"}, 0, 0.0),
        (429, "", {"retry-after": "7"}, 0, 7.0),
        (429, "", {"retry-after": DATE}, 0, 20.0),
        (429, "", {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0, 0.0),
        (429, "", {"retry-after": "soon"}, 0, 60.0),
        (429, "", {"retry-after": "-5"}, 0, 60.0),
        (403, "You have exceeded a secondary rate limit.", {}, 0, 60.0),
        (403, "", {"retry-after": "5"}, 0, 5.0),
        (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1010"}, 0, 11.0),
        (403, "", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "900"}, 0, 1.0),
        (403, "", {"x-ratelimit-remaining": "0"}, 0, 60.0),
        # Pointless to ask again.
        (403, "Resource not accessible by integration", {}, 0, None),
        (403, "", {"x-ratelimit-remaining": "10", "x-ratelimit-reset": "1010"}, 0, None),
        (404, "Not Found", {"x-ratelimit-remaining": "0"}, 0, None),
        (401, "Bad credentials", {}, 0, None),
        (422, "Validation Failed", {}, 0, None),
    ],
)
def test_how_long_to_wait(
    status: int, message: str, headers: dict[str, str], attempt: int, wait: float | None
) -> None:
    assert choose_wait(RefusedError(status, message, headers), attempt, NOW) == wait


class Calls:
    """A call that fails as told, then returns how often it was made."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        if self.failures:
            raise self.failures.pop(0)
        return self.count


def insist(
    call: Callable[[], int], *, seconds: float = 60, look_again: Callable[[], int | None] | None = None
) -> tuple[int, list[float]]:
    clock = VirtualClock()
    patience = Patience(seconds, clock=clock, sleep=clock.sleep, now=clock)
    return patience.insist(call, look_again=look_again), clock.sleeps


def test_a_call_that_works_is_made_once() -> None:
    assert insist(Calls()) == (1, [])


def test_silence_is_tried_again() -> None:
    assert insist(Calls(TimeoutError(), ConnectionResetError())) == (3, [0.5, 1.0])


def test_silence_for_ever_is_given_up() -> None:
    call = Calls(*[TimeoutError("http://user:secret@proxy") for _ in range(99)])
    with pytest.raises(GaveUpError, match=r"^it did not answer \(TimeoutError\), 6 times$"):
        insist(call)
    assert call.count == TRIES


def test_a_refusal_for_good_is_raised_at_once() -> None:
    call = Calls(RefusedError(422, "too long"))
    with pytest.raises(RefusedError, match="422 too long"):
        insist(call)
    assert call.count == 1


def test_a_wait_beyond_the_deadline_ends_it_at_once() -> None:
    clock = VirtualClock()
    patience = Patience(5, clock=clock, sleep=clock.sleep, now=clock)
    with pytest.raises(GaveUpError, match="it answered 429 and is to be asked again in 8 s, with 5 s left"):
        patience.insist(Calls(RefusedError(429, "", {"retry-after": "8"})))
    assert clock.sleeps == []


def test_all_calls_share_one_deadline() -> None:
    clock = VirtualClock()
    patience = Patience(10, clock=clock, sleep=clock.sleep, now=clock)
    patience.insist(Calls(RefusedError(429, "", {"retry-after": "8"})))
    assert patience.left == 2
    with pytest.raises(GaveUpError):
        patience.insist(Calls(RefusedError(429, "", {"retry-after": "8"})))


def test_a_call_that_must_not_be_made_twice_looks_first() -> None:
    call = Calls(RefusedError(502, ""))
    assert insist(call, look_again=lambda: 42) == (42, [0.5])
    assert call.count == 1


def test_when_nothing_is_found_the_call_is_made_again() -> None:
    assert insist(Calls(RefusedError(502, "")), look_again=lambda: None) == (2, [0.5])


def test_a_bug_is_not_waited_for() -> None:
    with pytest.raises(KeyError):
        insist(Calls(KeyError("bug")))


class TestHurry:
    """A signal while GitHub is waited for."""

    def test_little_is_left_from_then_on(self) -> None:
        clock, hurry = VirtualClock(), threading.Event()
        patience = Patience(60, hurried=hurry.is_set, clock=clock, sleep=clock.sleep, now=clock)
        clock.sleep(10)
        assert patience.left == 50
        hurry.set()
        assert patience.left == CANCELLED_SECONDS
        clock.sleep(1)
        assert patience.left == CANCELLED_SECONDS - 1

    def test_it_never_gives_more_time(self) -> None:
        clock = VirtualClock()
        patience = Patience(1, hurried=lambda: True, clock=clock, sleep=clock.sleep, now=clock)
        assert patience.left == 1

    def test_work_is_left_behind_in_the_middle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentlab_ci.publish.patience.CANCELLED_SECONDS", 0.0)
        clock, release = VirtualClock(), threading.Event()
        looks = iter([False, False])
        patience = Patience(6, hurried=lambda: next(looks, True), clock=clock, sleep=clock.sleep, now=clock)
        with pytest.raises(GaveUpError, match="did not answer in time"):
            patience.run(release.wait)
        release.set()
        assert patience.left == 0


class TestRun:
    """Work that is left behind at the deadline."""

    def test_its_result_is_returned(self) -> None:
        assert Patience(60).run(lambda: 7) == 7

    def test_its_exception_is_raised(self) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            Patience(60).run(lambda: int("seven"))

    def test_it_is_left_behind_in_a_thread_that_ends_with_the_process(self) -> None:
        release = threading.Event()
        left: list[threading.Thread] = []

        def hang() -> None:
            left.append(threading.current_thread())
            release.wait()

        with pytest.raises(GaveUpError, match="did not answer in time"):
            Patience(0.1).run(hang)
        assert left[0].daemon
        release.set()
        left[0].join()

    def test_no_time_left_is_no_time(self) -> None:
        release = threading.Event()
        with pytest.raises(GaveUpError):
            Patience(-1).run(release.wait)
        release.set()
