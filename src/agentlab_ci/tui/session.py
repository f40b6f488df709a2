"""The live view on the real terminal: opened, left, and the terminal afterwards as it was before."""

import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from agentlab_ci.core.results import ScenarioFacts
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.tui.app import Leave, LiveApp
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.state import LiveState

_JOB_SIGNALS = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, signal.SIGTTIN, signal.SIGTTOU)
"""Those that Textual handles, and leaves so."""
_ORDINARY = (
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"  # no mouse
    "\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2048l"  # nor its pixels, focus, marks around what is pasted, sizes
    "\x1b[<u\x1b[?7h"  # keys as ever, long lines wrapped
    "\x1b[?1049l\x1b[?25h"  # what was there before, and the cursor
)


class RunFeed(Feed):
    """The feed of a run that goes on; `on_planned` is called in its thread, `log` takes what its log prints."""

    def __init__(self, log: Console, *, on_planned: Callable[[], None]) -> None:
        super().__init__()
        self.log = log
        self._on_planned = on_planned

    def planned(self, rows: Sequence[ScenarioFacts]) -> None:
        """Tell what will run, in YAML order: before anything else."""
        super().planned(rows)
        self._on_planned()


class _Screen:
    """The stream that Textual draws on. That its terminal is gone is no error: a signal says so too."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


class _Driver(LinuxDriver):
    """Textual's own, whose writing thread would end with its first error, and whose queue would then block."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._file: Any = _Screen(self._file)


class _Session(LiveApp):
    """The view, of whose bugs Textual prints nothing: it would show all local variables, secrets too."""

    def _print_error_renderables(self) -> None:
        pass

    @property
    def has_lost_terminal(self) -> bool:
        """Whether it was closed because there was nothing to read from any more, and not by a bug."""
        return self._exception is None and self._interrupted()

    @property
    def failure(self) -> Exception:
        return self._exception or RuntimeError("the live view ended before anybody left it")


def show(
    feed: Feed | None, state: LiveState, *, clock: Callable[[], float], glyphs: Glyphs, interrupts: Interrupts
) -> Leave:
    """Open the view and return how it was left; needs the main thread, and a terminal at stdin and stderr.

    A signal closes it. Raises whatever a bug in it raised.
    """
    session = _Session(
        feed, state, clock=clock, glyphs=glyphs, interrupted=lambda: interrupts.exit_code is not None
    )
    session.driver_class = _Driver
    with _terminal_as_it_was(interrupts):
        leave = session.run()
        if leave is None:
            if session.has_lost_terminal:
                return Leave()
            raise session.failure
    return leave


@contextmanager
def _terminal_as_it_was(interrupts: Interrupts) -> Iterator[None]:
    terminal, screen = sys.stdin.fileno(), sys.stderr.fileno()  # Textual puts others in their place
    modes = termios.tcgetattr(terminal)
    handlers = {number: signal.getsignal(number) for number in _JOB_SIGNALS}

    def restore() -> None:
        with suppress(OSError, termios.error):  # the terminal may be gone
            termios.tcsetattr(terminal, termios.TCSANOW, modes)
            os.write(screen, _ORDINARY.encode())

    with interrupts.before_ending_at_once(restore):
        try:
            yield
        except BaseException:
            restore()
            raise
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
