"""An event loop whose clock jumps to the next thing due, so that waits of minutes take no time in a test."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Never sleeps: asked to wait, it moves the clock instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise AssertionError("everything waits and nothing is due: a deadlock")
            self.now += max(0.0, timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Counts seconds from 0."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Run a coroutine to its end; returns its result and the virtual seconds that it took."""
    loop = VirtualTimeLoop()
    try:
        return loop.run_until_complete(main), loop.time()
    finally:
        loop.close()
