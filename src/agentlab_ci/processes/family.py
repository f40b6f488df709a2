"""Ending a child with everything that it started, and nothing else.

On Linux that holds for processes that left the child's group too: our process adopts orphans (it is a "child
subreaper"), and `/proc` tells who descends from whom; who has lost its parent is known by a mark (`marks`), or as
older than every child that lives. Elsewhere only a child's process group is ended.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from functools import cache

from agentlab_ci.processes.exit_watch import open_pidfd
from agentlab_ci.processes.kinship import find_family, find_left_behind, find_orphans, find_strangers
from agentlab_ci.processes.marks import mark, read_mark
from agentlab_ci.processes.process_table import ProcessEntry, read_process, read_processes

_PR_SET_CHILD_SUBREAPER = 36
_KILL_SECONDS = 0.5
_ROUND_SECONDS = 0.01

_LEADERS: dict[int, subprocess.Popen[bytes]] = {}
"""Children that have not been reaped, by process id."""


def start_leader(
    argv: tuple[str, ...], *, cwd: str | os.PathLike[str], env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a child in a session and process group of its own, with pipes. Raises OSError."""
    _adopting_since()
    try:
        process = subprocess.Popen(  # noqa: S603 - running what the project names is what we are for
            argv,
            cwd=cwd,
            env=env,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except ValueError as problem:  # a NUL, or half a surrogate pair
        raise OSError(str(problem)) from problem
    mark(process.pid)
    _LEADERS[process.pid] = process
    return process


def kill_family(process: subprocess.Popen[bytes]) -> None:
    """Kill the child, its process group, its session, all that stems from it, and orphans of earlier children."""
    _kill_group(process)
    entries = read_processes()
    strangers = _strangers(entries)
    orphans = find_orphans(strangers, os.getpid(), _LEADERS.keys())
    family = {process.pid, *(orphan.pid for orphan in orphans if read_mark(orphan.pid) == process.pid)}
    doomed = set().union(*(find_family(entries, member) for member in family))
    _kill(doomed | find_left_behind(entries, strangers, _LEADERS.keys()))


def reap(process: subprocess.Popen[bytes]) -> bool:
    """Take note of the end of a child, if it has ended; returns whether it has."""
    if process.poll() is None:
        return False
    _LEADERS.pop(process.pid, None)
    return True


def reap_orphans() -> None:
    """Reap the orphans that have ended, up to the first child of our own: its end comes through `reap`."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
            entry = read_process(ended.si_pid)
            if entry is None or entry.pid in _LEADERS or entry.session == os.getsid(0):
                return
            _reap_orphan(entry)


def kill_orphans() -> None:
    """Kill every process that is left of those that children started, the children included.

    For the end of a run. Our own helpers, which share our session, are spared. Blocks, for half a second at most.
    """
    for process in tuple(_LEADERS.values()):
        _kill_group(process)
    end = time.monotonic() + _KILL_SECONDS
    while True:
        left = {entry for entry in _strangers(read_processes()) if not entry.zombie}
        _kill(left)
        reaped = [reap(process) for process in tuple(_LEADERS.values())]
        if (not left and all(reaped)) or time.monotonic() > end:
            return
        if not left:  # else without a pause: who starts another before it ends is caught by speed alone
            time.sleep(_ROUND_SECONDS)


@cache
def _adopting_since() -> int:
    """Become the parent of whatever loses its own among our descendants; returns when that was, in clock ticks."""
    if sys.platform != "linux":
        return 0
    import ctypes  # noqa: PLC0415 - most runs start no process

    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # macOS answers EPERM for a group of which only a zombie is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _strangers(entries: Iterable[ProcessEntry]) -> set[ProcessEntry]:
    return find_strangers(entries, os.getpid(), session=os.getsid(0), since=_adopting_since())


def _kill(doomed: Iterable[ProcessEntry]) -> None:
    for entry in doomed:
        if entry.pid in _LEADERS and not entry.zombie:
            continue  # another child, or one whose group was killed: its own end comes through `reap`
        if entry.zombie:
            _reap_orphan(entry)
        else:
            _kill_exactly(entry)


def _reap_orphan(entry: ProcessEntry) -> None:
    if entry.parent == os.getpid() and entry.pid not in _LEADERS:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(entry.pid, os.WNOHANG)


def _kill_exactly(entry: ProcessEntry) -> None:
    """Kill the process if its number is still its own."""
    pidfd = open_pidfd(entry.pid)
    try:
        now = read_process(entry.pid)
        if now is not None and now.started == entry.started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                _send_kill(entry.pid, pidfd)
    finally:
        if pidfd is not None:
            os.close(pidfd)


def _send_kill(pid: int, pidfd: int | None) -> None:
    if sys.platform == "linux" and pidfd is not None:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGKILL)
