"""Learning that a child has ended, without a thread and without asking its pipes."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable

_POLL_SECONDS = 0.02


class ExitWatch:
    """Calls `on_exit` once in the event loop when the process has ended; it is not reaped by then, on Linux."""

    def __init__(self, process: subprocess.Popen[bytes], on_exit: Callable[[], None]) -> None:
        self._process = process
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._pidfd = open_pidfd(process.pid)
        if self._pidfd is None:
            self._loop.call_soon(self._poll)
        else:
            self._loop.add_reader(self._pidfd, self._tell)

    def _tell(self) -> None:
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        self._on_exit()

    def _poll(self) -> None:
        if self._process.poll() is None:
            self._loop.call_later(_POLL_SECONDS, self._poll)
        else:
            self._on_exit()


def open_pidfd(pid: int) -> int | None:
    """Return a descriptor that is readable once the process has ended; None where there is no such thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # a kernel before 5.3, or a sandbox that forbids it
        return None
