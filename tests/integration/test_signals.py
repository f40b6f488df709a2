"""Interrupted and killed: what is known is reported, what has finished is stored."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from children import wait_until_gone
from command import conversation, start_agentlab, start_python, wait_for, write_project


def start_run(folder: Path) -> subprocess.Popen[str]:
    """Start a run whose first scenario ends at once and whose second never does."""
    agents = [
        {"name": "quick", "provider": "mock", "replies": [{"reply": "It has shipped."}]},
        {"name": "slow", "provider": "mock", "replies": [{"reply": "It has shipped."}], "latency_ms": 3_600_000},
    ]
    scenarios = [conversation("a.quick", agent="quick"), conversation("a.slow", agent="slow")]
    return start_agentlab(write_project(folder, {"agents": agents}, scenarios), "run", "--samples", "3")


def wait_until_the_first_scenario_is_printed(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if "sample 3/3" in line:
            return


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_signal_ends_the_run_with_its_reports(tmp_path: Path, number: int, code: int) -> None:
    process = start_run(tmp_path)
    wait_until_the_first_scenario_is_printed(process)
    os.kill(process.pid, number)
    ended = wait_for(process, tmp_path)
    assert ended.code == code
    assert ended.ends() == {
        "a.quick": [("passed", "completed")] * 3,
        "a.slow": [("cancelled", "interrupted")] * 3,
    }
    assert ended.results["summary"]["exit_code"] == code
    assert "Traceback" not in ended.err
    for report in ("report.md", "junit.xml"):
        assert "a.slow" in (tmp_path / "agentlab-report" / report).read_text(encoding="utf-8")


def test_after_kill_9_the_finished_samples_are_in_the_database(tmp_path: Path) -> None:
    process = start_run(tmp_path)
    wait_until_the_first_scenario_is_printed(process)
    process.kill()
    assert wait_for(process, tmp_path).code == -signal.SIGKILL
    with closing(sqlite3.connect(tmp_path / "artifacts" / "agentlab.db")) as database:
        rows = database.execute("SELECT scenario_id, sample, status FROM samples ORDER BY sample").fetchall()
    assert rows == [("a.quick", number, "passed") for number in (1, 2, 3)]


INSISTS = """
import signal, sys
from agentlab_ci.cli.main import main
from agentlab_ci.processes.family import start_leader

class AsTheWorkBegins:
    def find_spec(self, name, *rest):
        if name == "agentlab_ci.cli.group":
            leader = start_leader(sys.argv[1:], cwd=".", env={})
            leader.stdout.readline()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                signal.raise_signal(number)

sys.meta_path.insert(0, AsTheWorkBegins())
main()
"""
STUBBORN = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", sys.argv[1]], start_new_session=True)
print("up", flush=True)
time.sleep(60)
"""


def test_whoever_insists_ends_the_run_and_its_processes_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUBBORN, str(tmp_path / "stubborn")]
    assert wait_for(start_python(tmp_path, "-c", INSISTS, *command), tmp_path).code == 130
    assert wait_until_gone(tmp_path / "stubborn")
