"""Lines that wait while something else is shown on the terminal."""

import threading
from dataclasses import replace

from agentlab_ci.publish.console import Console, Say


class HeldLines:
    """Makes consoles whose lines can be held back, all together and in their order. For several threads.

    The lines of the `log` may be left out in the end; its talk, which says how far the run is, is of the moment:
    while lines are held back it is dropped.
    """

    def __init__(self, console: Console) -> None:
        self._tell: Say | None = None
        self._lock = threading.Lock()
        self._log_left_out = False
        self._held: list[tuple[Say, str, bool]] = []
        self.console = replace(console, out=self._through(console.out), err=self._through(console.err, talk=True))
        self.log = replace(
            console,
            out=self._through(console.out, of_log=True),
            err=self._through(console.err, of_log=True, talk=True),
        )

    @property
    def holding(self) -> bool:
        """Whether lines are held back."""
        return self._tell is not None

    def hold(self, *, tell: Say) -> None:
        """Keep lines back from now on; `tell` is called at once with those of talk."""
        with self._lock:
            self._tell = tell

    def release(self, *, log: bool) -> None:
        """Print what was kept, and all that comes, at once; without `log` leave the log out from its beginning."""
        with self._lock:
            self._tell = None
            self._log_left_out = not log
            held, self._held = self._held, []
            for say, line, of_log in held:
                if log or not of_log:
                    say(line)

    def _through(self, say: Say, *, of_log: bool = False, talk: bool = False) -> Say:
        def take(line: str) -> None:
            with self._lock:
                if self._tell is None:
                    if not (of_log and self._log_left_out):
                        say(line)
                    return
                if not (talk and of_log):
                    self._held.append((say, line, of_log))
                if talk and not of_log:
                    self._tell(line)

        return take
