"""A mark that whatever a child starts bears too, for as long as it lives and whomever it leaves.

It is a limit that nobody uses: on the time that a real-time process may run without a pause. Limits are inherited,
stay when a process leaves its session or loses its parent, and `/proc` shows them. Linux only; elsewhere, and
where a sandbox forbids it, nothing is marked.
"""

import contextlib
import re
import sys
from pathlib import Path

_BASE = 1 << 62
"""Microseconds, so that no limit is ever reached: 146,000 years."""
_LINE = re.compile(rb"^Max realtime timeout +(\d+) ", re.MULTILINE)


def mark(pid: int) -> None:
    """Mark a process that has just been started, by its own id."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - not there on every system

        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (_BASE + pid, hard))


def read_mark(pid: int) -> int | None:
    """Return the id of the child that a process stems from; None where it bears no mark, or is gone."""
    with contextlib.suppress(OSError):
        found = _LINE.search(Path(f"/proc/{pid}/limits").read_bytes())
        if found is not None and int(found[1]) > _BASE:
            return int(found[1]) - _BASE
    return None
