"""Interrupted and killed: what is known is reported, what has finished is stored."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from children import survivors, wait_until_gone
from command import conversation, start_agentlab, wait_for, write_project


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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
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


STUBBORN = """
import signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if len(sys.argv) == 2:
    subprocess.Popen([sys.executable, *sys.argv, "helper"], start_new_session=True)
time.sleep(60)
"""


def test_whoever_insists_ends_the_run_and_its_processes_at_once(tmp_path: Path) -> None:
    script = tmp_path / "stubborn.py"
    script.write_text(STUBBORN, encoding="utf-8")
    agent = {"name": "a", "provider": "external_process", "command": sys.executable, "args": [str(script), "."]}
    task = {
        "id": "a.stubborn",
        "name": "Stubborn",
        "suite": "a",
        "task": {"instructions": "Go."},
        "tools": {"allowed": ["orders.list"]},
        "evaluators": [{"type": "step_count_max", "mode": "hard_gate", "config": {"max": 1}}],
    }
    process = start_agentlab(write_project(tmp_path, {"agents": [agent]}, [task]), "run", "--samples", "2")
    while len(survivors(script)) < 4:
        assert process.poll() is None, process.communicate()
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.01)  # signals that come at once count as one
    assert wait_for(process, tmp_path).code == 130
    assert wait_until_gone(script)
    assert not (tmp_path / "agentlab-report").exists(), "it ended at the third signal, before its reports"
