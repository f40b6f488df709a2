"""A run over agents with every bad habit: each costs its own samples, the run ends, and nothing outlives it."""

import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from children import HOSTILE_CHILDREN, PROCESS_AGENT, survivors, wait_until_gone
from command import Ended, agentlab, start_agentlab, wait_for, write_project

PASSED = ("passed", "completed")
LATE = ("error", "timeout_exceeded")
INVALID = ("error", "invalid_response_format")
AGENT_ERROR = ("error", "agent_error")

PROCESSES = {
    "noise": PASSED,
    "no_newline": PASSED,
    "huge_line": INVALID,
    "closes_stdin": PASSED,
    "ignores_sigterm": PASSED,
    "leaves_a_grandchild": AGENT_ERROR,
    "leaves_an_escaped_grandchild": PASSED,
    "leaves_a_grandchild_twice_removed": PASSED,
    "exits_in_mid_run": AGENT_ERROR,
    "bad_utf8": ("failed", "completed"),  # an answer, and not the one that was asked for
    "never_answers": LATE,
    "trickles": LATE,
    "noise_for_ever": LATE,
    "floods_stderr_for_ever": LATE,
    "floods_stderr_then_final": PASSED,
}
FUNCTIONS = {
    "blocks": LATE,
    "exits_hard": AGENT_ERROR,
    "exits": AGENT_ERROR,
    "raises": AGENT_ERROR,
    "imports_missing:answer": AGENT_ERROR,
    "prints": PASSED,
    "mutates": PASSED,
    "counts_its_calls": ("failed", "completed"),
}
LIMITS = {LATE: 1500}
"""Turn limits in ms where they are to be reached; else none of these is anywhere near it."""


def task(scenario_id: str, agent: str) -> dict[str, Any]:
    return {
        "id": scenario_id,
        "name": scenario_id,
        "suite": "hostile",
        "agent": agent,
        "task": {"instructions": "Say that you are done."},
        "tools": {"allowed": ["orders.list"]},
        "evaluators": [
            {"type": "final_answer_contains", "mode": "hard_gate", "config": {"required_substrings": ["done"]}}
        ],
    }


def process_agent(mode: str, marker: Path, end: tuple[str, str] = PASSED) -> dict[str, Any]:
    return {
        "name": mode,
        "provider": "external_process",
        "command": sys.executable,
        "args": [PROCESS_AGENT, mode, str(marker)],
        "turn_timeout_ms": LIMITS.get(end, 60_000),
    }


def python_agent(function: str, end: tuple[str, str]) -> dict[str, Any]:
    target = function if ":" in function else f"python_agent:{function}"
    return {
        "name": function,
        "provider": "python",
        "target": target,
        "turn_timeout_ms": LIMITS.get(end, 60_000),
    }


def run(folder: Path, agents: list[dict[str, Any]], *args: str) -> Ended:
    scenarios = [task(f"hostile.{agent['name'].partition(':')[0]}", agent["name"]) for agent in agents]
    write_project(folder, {"agents": agents, "max_reply_bytes": 1 << 20}, scenarios)
    environ = {"AGENTLAB_CANARY": "secret-canary"}
    ended = agentlab(folder, "run", *args, environ=environ)
    assert ended.code == 1, ended.out + ended.err
    return ended


def test_every_hostile_process_ends_as_it_should_and_leaves_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    ended = run(tmp_path, [process_agent(mode, marker, end) for mode, end in PROCESSES.items()], "-k", "2")
    assert survivors(marker) == []
    assert ended.ends() == {f"hostile.{mode}": [end, end] for mode, end in PROCESSES.items()}


def test_every_hostile_function_ends_as_it_should_and_leaves_nothing(tmp_path: Path) -> None:
    for file in HOSTILE_CHILDREN.glob("*.py"):
        shutil.copy(file, tmp_path)
    ended = run(tmp_path, [python_agent(function, end) for function, end in FUNCTIONS.items()], "-k", "2")
    assert survivors(tmp_path) == []
    names = {function.partition(":")[0]: end for function, end in FUNCTIONS.items()}
    assert ended.ends() == {f"hostile.{name}": [end, end] for name, end in names.items()}
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_crash_at_every_second_start_costs_every_second_sample(tmp_path: Path) -> None:
    agent = process_agent("crashes_every_second_start", tmp_path / "starts")
    ended = run(tmp_path, [agent], "-k", "4", "--concurrency", "1")
    assert ended.ends() == {"hostile.crashes_every_second_start": [AGENT_ERROR, PASSED] * 2}


def test_a_command_that_lacks_its_interpreter_costs_its_own_samples(tmp_path: Path) -> None:
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    marker = tmp_path / "marker"
    agents = [
        process_agent("lost", marker) | {"command": "./lost", "args": []},
        process_agent("no_newline", marker),
    ]
    ended = run(tmp_path, agents)
    assert ended.ends() == {"hostile.lost": [AGENT_ERROR], "hostile.no_newline": [PASSED]}
    assert "the interpreter that the first line of `./lost` names is not there" in ended.out


def test_a_function_never_sees_what_it_is_not_allowed_to_see(tmp_path: Path) -> None:
    shutil.copy(HOSTILE_CHILDREN / "python_agent.py", tmp_path)
    ended = run(tmp_path, [python_agent("looks_around", PASSED)])
    [sample] = ended.results["scenarios"][0]["samples"]
    assert "PATH" in sample["final_output"]
    assert "canary" not in sample["final_output"].lower()


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_takes_its_processes_along(signal_number: signal.Signals, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    agents = [process_agent("lives_with_an_escaped_grandchild_silently", marker)]
    write_project(tmp_path, {"agents": agents}, [task("hostile.silent", agents[0]["name"])])
    process = start_agentlab(tmp_path, "run")
    while len(survivors(marker)) < 2:
        assert process.poll() is None, process.communicate()
    process.send_signal(signal_number)
    ended = wait_for(process, tmp_path)
    assert ended.code == 128 + signal_number
    assert wait_until_gone(marker)
    assert ended.ends() == {"hostile.silent": [("cancelled", "interrupted")]}
