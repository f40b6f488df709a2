"""Real child processes for tests, and whether anything of them is left.

A child that is to be looked for bears a marker, such as a path of the test's own, among its arguments.
"""

import os
import sys
import time
from pathlib import Path

HOSTILE_CHILDREN = Path(__file__).parent / "hostile_children"
PROCESS_AGENT = str(HOSTILE_CHILDREN / "process_agent.py")
FOR_EVER = [sys.executable, "-c", "import time; time.sleep(10**6)"]


def survivors(marker: Path | str, *, below: int | None = None) -> list[str]:
    """Return the command lines of living processes that bear the marker. A zombie has none.

    `below` leaves only descendants of that process, for a marker that others on this machine may bear as well.
    """
    lines = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(marker) in line and (below is None or below in _ancestors(int(folder.name))):
                lines.append(line)
    return lines


def _ancestors(pid: int) -> list[int]:
    found: list[int] = []
    while pid > 0:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:
            return found
        found.append(pid)
    return found


def wait_until_gone(marker: Path | str, *, seconds: float = 20.0) -> bool:
    """Wait until no process bears the marker: a kill takes its moment. Returns whether that came true."""
    end = time.monotonic() + seconds
    while survivors(marker):
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def is_alive(pid: int) -> bool:
    """Tell whether there is such a process, a zombie included."""
    return Path(f"/proc/{pid}").exists()
