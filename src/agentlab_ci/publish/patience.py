"""How long GitHub is waited for: one deadline for a whole series of calls, waits and repeats included."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")

PUBLISH_SECONDS = 60.0
CANCELLED_SECONDS = 3.0
"""What is left after a signal: a runner kills ten seconds after it cancels, and the rest takes four."""
TRIES = 6
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 8.0
_LIMIT_PAUSE = 60.0
"""Seconds; what GitHub asks for where its answer names no time."""
_LOOK_SECONDS = 0.1
"""Between two looks at whether there is a hurry."""
_BROKEN = frozenset({500, 502, 503, 504})


class RefusedError(Exception):
    """GitHub answered, and not with what was asked for. `headers` are in lower case."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status} {message}".strip())
        self.status = status
        self.message = message
        self.headers = headers or {}


class GaveUpError(Exception):
    """Time or tries ran out; the message says what was waited for."""


def choose_wait(refusal: RefusedError, attempt: int, now: float) -> float | None:
    """Return the seconds to wait before a refused call is repeated, None when repeating it is pointless.

    `attempt` counts from 0, `now` is Unix time. GitHub says both "no permission" and "too many requests" with 403:
    a rate limit shows in its headers or its words.
    """
    headers = refusal.headers
    exhausted = headers.get("x-ratelimit-remaining") == "0"
    limited = refusal.status == 429 or (
        refusal.status == 403
        and (exhausted or "retry-after" in headers or "rate limit" in refusal.message.lower())
    )
    if not limited and refusal.status not in _BROKEN:
        return None
    asked = _read_retry_after(headers.get("retry-after"), now)
    if asked is not None:
        return asked
    reset = headers.get("x-ratelimit-reset", "")
    if exhausted and reset.isascii() and reset.isdecimal():
        return max(0.0, int(reset) - now) + 1
    return _LIMIT_PAUSE if limited else choose_pause(attempt)


def choose_pause(attempt: int) -> float:
    """Return the pause after a failure of GitHub or of the way there; it doubles with each attempt from 0."""
    return min(_MAX_PAUSE, _FIRST_PAUSE * 2.0**attempt)


class Patience:
    """The time that is left for talking to GitHub, in seconds from now on.

    As soon as `hurried` is true, `CANCELLED_SECONDS` are left at most. `clock` runs evenly, `now` is Unix time.
    """

    def __init__(
        self,
        seconds: float = PUBLISH_SECONDS,
        *,
        hurried: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._hurried = hurried
        self._in_a_hurry = False
        self._clock = clock
        self._sleep = sleep
        self._now = now
        self._deadline = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        if not self._in_a_hurry and self._hurried():
            self._in_a_hurry = True
            self._deadline = min(self._deadline, self._clock() + CANCELLED_SECONDS)
        return max(0.0, self._deadline - self._clock())

    def insist(self, call: Callable[[], T], *, look_again: Callable[[], T | None] | None = None) -> T:
        """Make a call until it succeeds and return what it returns.

        Raises RefusedError when repeating is pointless, GaveUpError when time or tries run out. A call that must
        not be made twice comes with `look_again`, which returns what an attempt that seemed to fail has done.
        """
        for attempt in range(TRIES):
            try:
                return call()
            except RefusedError as refusal:
                wait = choose_wait(refusal, attempt, self._now())
                if wait is None:
                    raise
                reason = f"it answered {refusal.status}"
            except OSError as problem:
                # The text of such an error may hold a proxy's address.
                wait, reason = choose_pause(attempt), f"it did not answer ({type(problem).__name__})"
            if wait >= self.left:
                raise GaveUpError(
                    f"{reason} and is to be asked again in {wait:.0f} s, with {self.left:.0f} s left"
                )
            self._sleep(wait)
            if look_again is not None and (done := look_again()) is not None:
                return done
        raise GaveUpError(f"{reason}, {TRIES} times")

    def run(self, work: Callable[[], T]) -> T:
        """Do the work and return its result, or raise GaveUpError at the deadline and leave the work behind.

        An answer that trickles is bounded by nothing else: the limits of the HTTP library count from byte to byte.
        """
        results: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

        def work_and_tell() -> None:
            try:
                results.put((work(), None))
            except BaseException as problem:  # noqa: BLE001 - raised again where it is waited for
                results.put((None, problem))

        threading.Thread(target=work_and_tell, name="agentlab-publish", daemon=True).start()
        result, problem = self._wait_for(results)
        if problem is not None:
            raise problem
        return result  # type: ignore[return-value]  # None only where T allows it

    def _wait_for(self, results: "queue.SimpleQueue[T]") -> T:
        left = self.left
        while True:
            try:
                return results.get(timeout=min(left, _LOOK_SECONDS))
            except queue.Empty:
                # The thread may sleep by another clock than the queue does.
                left = min(left - _LOOK_SECONDS, self.left)
                if left <= 0:
                    raise GaveUpError("it did not answer in time") from None


def _read_retry_after(text: str | None, now: float) -> float | None:
    """Read seconds or an HTTP date; None where there is neither."""
    if text is None:
        return None
    if text.strip().isascii() and text.strip().isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return None
