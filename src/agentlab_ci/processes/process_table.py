"""The processes of this machine, as `/proc` shows them."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEntry:
    """A process. `started` counts clock ticks since the machine started; with the id it names one for good."""

    pid: int
    parent: int
    session: int
    started: int
    zombie: bool


def read_processes() -> tuple[ProcessEntry, ...]:
    """Return every process that can be seen; nothing where there is no `/proc`."""
    try:
        with os.scandir("/proc") as folder:
            pids = [int(item.name) for item in folder if item.name.isdecimal()]
    except OSError:
        return ()
    return tuple(entry for pid in pids if (entry := read_process(pid)) is not None)


def read_process(pid: int) -> ProcessEntry | None:
    """Return one process, None if it is gone."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # proc(5): "pid (name) state ppid pgrp session …", field 22 is the start; a name may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return ProcessEntry(
            pid=pid,
            parent=int(fields[1]),
            session=int(fields[3]),
            started=int(fields[19]),
            zombie=fields[0] in (b"Z", b"X"),
        )
    return None
