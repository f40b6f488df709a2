"""Commands without the capabilities that open every process to their holder."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = "-sys_ptrace,-sys_admin,-perfmon"
_BITS = 1 << 19 | 1 << 21 | 1 << 38
"""The same in a set of capabilities, see capability(7)."""


def without_inspection() -> list[str]:
    """Return the words before a command that take the capabilities away; skips the test where they cannot be."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("only where /proc shows processes to others")
    held = next(line for line in status.read_text().splitlines() if line.startswith("CapEff:"))
    if not int(held.split()[1], 16) & _BITS:
        return []
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("these tests may look into every process, and there is no `setpriv` to drop that")
    return ["setpriv", "--bounding-set", NAMES, "--inh-caps", NAMES]
