import os
import signal
import subprocess
from pathlib import Path

import pytest

from command import SECONDS, start_python
from unprivileged import without_inspection

SPLIT = "from agentlab_ci.action.init import split; split()\n"


def start(folder: Path, code: str) -> subprocess.Popen[str]:
    return start_python(folder, "-c", SPLIT + code)


def end(process: subprocess.Popen[str]) -> int:
    try:
        return process.wait(SECONDS)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("code", [0, 1, 2, 143])
def test_the_exit_code_is_that_of_the_work(tmp_path: Path, code: int) -> None:
    assert end(start(tmp_path, f"import os; os._exit({code})")) == code


def test_work_that_a_signal_ends_gives_128_and_more(tmp_path: Path) -> None:
    assert end(start(tmp_path, "import os; os.kill(os.getpid(), 9)")) == 128 + signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_handed_on(tmp_path: Path, number: signal.Signals) -> None:
    code = f"""
import os, signal
signal.signal({number.value}, lambda *_: os._exit(42))
print('ready', flush=True)
while True:
    signal.pause()
"""
    process = start(tmp_path, code)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, number)
    assert end(process) == 42


def test_what_nobody_waits_for_is_reaped(tmp_path: Path) -> None:
    # A subreaper gets orphans as process 1 does.
    code = """
import ctypes, os, signal, sys
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
from agentlab_ci.action.init import split
split()
reaper = os.getppid()
if os.fork() == 0:
    if os.fork() == 0:
        os._exit(7)
    os._exit(0)
os.wait()
children = f'/proc/{reaper}/task/{reaper}/children'
while True:
    with open(children) as file:
        if file.read().split() == [str(os.getpid())]:
            os._exit(0)
"""
    process = start_python(tmp_path, "-c", code)
    assert end(process) == 0


def test_any_other_process_goes_on_as_it_is(tmp_path: Path) -> None:
    code = "import os; before = os.getpid(); become_init(); assert os.getpid() == before"
    done = start_python(tmp_path, "-c", f"from agentlab_ci.action.init import become_init; {code}")
    assert end(done) == 0


def test_what_runs_below_process_1_cannot_look_into_it(tmp_path: Path) -> None:
    code = """
import os, subprocess, sys
look = "import sys; open(f'/proc/{sys.argv[1]}/environ')"
done = subprocess.run([sys.executable, "-c", look, str(os.getppid())], capture_output=True, text=True)
os._exit(0 if "PermissionError" in done.stderr else 1)
"""
    assert end(start_python(tmp_path, "-c", SPLIT + code, before=without_inspection())) == 0
