import os
import subprocess
import sys

import pytest

from agentlab_ci.processes.marks import mark, read_mark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the limits of processes")


def test_a_mark_goes_to_whatever_is_started_and_stays_in_another_session() -> None:
    look = "import os; print(os.fork() or os.setsid() or open('/proc/self/limits').read(), flush=True)"
    reading = [sys.executable, "-c", f"import sys; sys.stdin.read(); {look}"]
    with subprocess.Popen(reading, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        mark(process.pid)
        assert read_mark(process.pid) == process.pid
        out, _ = process.communicate()
    assert str((1 << 62) + process.pid) in out


def test_nobody_else_is_marked() -> None:
    assert read_mark(os.getpid()) is None
    with subprocess.Popen(["/bin/sh", "-c", "exit"]) as process:
        process.wait()
        mark(process.pid)  # who is gone is no matter
        assert read_mark(process.pid) is None
