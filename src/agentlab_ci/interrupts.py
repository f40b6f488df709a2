"""SIGINT, SIGTERM and SIGHUP, remembered from the first moment of the process.

As PID 1 of a container Python ignores SIGTERM unless a handler is there, and importing the rest takes a while:
so this module imports nothing heavy and is installed before everything else.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from agentlab_ci.errors import ExitCode, InterruptedRunError

_EXIT_CODES = {signal.SIGINT: ExitCode.SIGINT, signal.SIGTERM: ExitCode.SIGTERM, signal.SIGHUP: ExitCode.SIGTERM}
_PATIENCE = 3
"""The signal that ends the process at once, reports or not: somebody insists."""


class Interrupts:
    """The signals that have come. The first sets the exit code; each one calls the subscriber."""

    def __init__(self) -> None:
        self.exit_code: ExitCode | None = None
        self.count = 0
        self._subscriber: Callable[[], object] | None = None
        self._last_acts: list[Callable[[], object]] = []

    def install(self, last_act: Callable[[], object]) -> None:
        """Take over the signals; `last_act` is what is done before somebody who insists has us end at once.

        A SIGHUP that is ignored, as by `nohup`, stays so. Only the main thread may do so.
        """
        self._last_acts.append(last_act)
        for number in _EXIT_CODES:
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)

    @contextmanager
    def before_ending_at_once(self, act: Callable[[], object]) -> Iterator[None]:
        """For as long as the context lasts, do this too before somebody who insists has us end at once."""
        self._last_acts.append(act)
        try:
            yield
        finally:
            self._last_acts.remove(act)

    def subscribe(self, subscriber: Callable[[], object] | None) -> None:
        """Call `subscriber` at every signal from now on; None ends it. It runs inside the signal handler."""
        self._subscriber = subscriber

    @contextmanager
    def ending_what_runs(self) -> Iterator[None]:
        """For as long as the context lasts, let a signal raise InterruptedRunError where the main thread is.

        For work of which half is worth nothing, and that nothing else would stop.
        """
        self.subscribe(self._raise)
        try:
            if self.exit_code is not None:
                self._raise()
            yield
        finally:
            self.subscribe(None)

    def _raise(self) -> None:
        raise InterruptedRunError(self.exit_code or ExitCode.SIGINT)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        self.note(number)

    def note(self, number: int) -> None:
        """Do what is done when this signal comes; for those of its keys that do not send it."""
        if number == signal.SIGHUP and self.exit_code is not None:
            return  # of one terminal that is gone, the kernel and the shell tell several times: nobody insists
        self.count += 1
        self.exit_code = self.exit_code or _EXIT_CODES[signal.Signals(number)]
        if self.count >= _PATIENCE:
            for act in self._last_acts:
                with suppress(Exception):  # there is nobody left to tell, and the others are still to be done
                    act()
            os._exit(self.exit_code)
        subscriber = self._subscriber
        if subscriber is not None:
            subscriber()


INTERRUPTS = Interrupts()
"""Those of this process; the entry point installs them."""
