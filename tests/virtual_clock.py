"""A clock that moves only when somebody sleeps, so that waits of minutes take no time in a test."""


class VirtualClock:
    """Counts seconds from 1,000; `sleeps` are the waits so far."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
