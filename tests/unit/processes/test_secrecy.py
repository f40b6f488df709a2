import sys
from pathlib import Path

import pytest

from command import start_python, wait_for
from unprivileged import without_inspection

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the flag")

PARENT = """
import ctypes, os, subprocess, sys
from agentlab_ci.processes.secrecy import forbid_inspection
if sys.argv[1] == "closed":
    forbid_inspection()
    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0
assert open("/proc/self/stat").read()
assert os.listdir("/proc/self/fd")
os.close(os.pidfd_open(os.getpid()))
sys.exit(subprocess.run([sys.executable, "-c", sys.argv[2]]).returncode)
"""
CHILD = """
import os, sys
def is_open(name, mode):
    try:
        return bool(open(f"/proc/{os.getppid()}/{name}", mode, buffering=0))
    except PermissionError:
        return False
print([is_open("environ", "rb"), is_open("mem", "rb"), is_open("fd/1", "wb"), is_open("stat", "rb")])
open("/proc/self/environ").read()
"""


@pytest.mark.parametrize(
    ("closed", "seen"), [("open", [True, True, True, True]), ("closed", [False, False, False, True])]
)
def test_a_child_cannot_look_into_a_process_that_forbids_it(closed: str, seen: list[bool], tmp_path: Path) -> None:
    ended = wait_for(start_python(tmp_path, "-c", PARENT, closed, CHILD, before=without_inspection()), tmp_path)
    assert (ended.code, ended.out.strip()) == (0, str(seen)), ended.err


def test_the_command_forbids_it_before_it_does_anything(tmp_path: Path) -> None:
    look = """
import ctypes, sys
from agentlab_ci.cli import main
class Tell:
    def find_spec(self, name, *rest):
        if name == "agentlab_ci.cli.group":
            print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), flush=True)
sys.meta_path.insert(0, Tell())
sys.argv[1:] = ["--version"]
main.main()
"""
    ended = wait_for(start_python(tmp_path, "-c", look), tmp_path)
    assert ended.out.startswith("0\n"), ended.err
