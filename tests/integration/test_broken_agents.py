"""Agents that fail at everything, and agents that are asked too much: the run ends soon and says what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

import loopback
from command import Ended, agentlab, conversation, write_project
from loopback import HostileAgent, hostile_agent

TASK_TOOLS = {"allowed": ["orders.list"]}
STEP_COUNT = {"type": "step_count_max", "mode": "hard_gate", "config": {"max": 3}}
SECRET = "canary-key-0123456789"
CRASH = """
import os, sys
print("reading the settings", file=sys.stderr)
print("no model for key " + os.environ["MODEL_KEY"], file=sys.stderr)
sys.exit(3)
"""


def tasks(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"support.t{number}",
            "name": "T",
            "suite": "support",
            "task": {"instructions": "Help."},
            "tools": TASK_TOOLS,
            "evaluators": [STEP_COUNT],
        }
        for number in range(count)
    ]


def run(folder: Path, agent: dict[str, Any], scenarios: list[dict[str, Any]], *arguments: str) -> Ended:
    project = write_project(folder, {"agents": [{"name": "mine", **agent}], "concurrency": 2}, scenarios)
    return agentlab(project, "run", *arguments, environ={"MODEL_KEY": SECRET})


def spared(ended: Ended) -> int:
    """How many samples did not run because the agent was given up on."""
    samples = [sample for row in ended.results["scenarios"] for sample in row["samples"]]
    assert all(sample["given_up"] for sample in samples)
    return sum(sample["run_id"] is None for sample in samples)


def test_a_command_that_crashes_at_its_start_is_given_up_on_with_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(CRASH, encoding="utf-8")
    agent = {
        "provider": "external_process",
        "command": "python3",
        "args": ["agent.py"],
        "env_allowlist": ["MODEL_KEY"],
    }
    ended = run(tmp_path, agent, tasks(20), "-k", "3")
    assert ended.code == 1
    left = spared(ended)
    assert left >= 30, "all samples of two scenarios, one of a third, and those that ran beside them"
    lines = ended.out.splitlines()
    message = "`python3`: it exited with code 3 before its final answer"
    words = lines.index("last words of mine:")
    assert lines[words + 1 : words + 3] == ["  reading the settings", "  no model for key ***"]
    assert lines.count("  reading the settings") == 1, "once in the whole log"
    named = f"agent mine was given up on and {left} samples did not run, because its first ones all failed alike"
    assert f"{named}: {message}" in lines[words:]
    assert lines[-1].startswith("! 20 of 20 scenarios could not be judged: ")
    assert not [line for line in lines if line.startswith("pass@3")]
    assert {reason for ends in ended.ends().values() for _, reason in ends} == {"agent_error"}
    for page in (tmp_path / "agentlab-report").iterdir():
        assert SECRET not in page.read_text(encoding="utf-8")
    assert "agent `mine` was given up on" in (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")


def test_a_function_that_cannot_be_imported_is_given_up_on(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import sys\nprint('hi', file=sys.stderr)\nimport no_such_library\n")
    ended = run(tmp_path, {"provider": "python", "target": "agent:answer"}, tasks(24))
    assert ended.code == 1
    assert spared(ended) >= 12
    lines = ended.out.splitlines()
    assert "last words of mine:" in lines
    assert [line for line in lines if "no_such_library" in line and line.startswith("agent mine was given up on")]


@pytest.mark.parametrize("path", ["/401", "/404"])
def test_an_address_or_a_key_that_is_wrong_is_given_up_on(tmp_path: Path, path: str) -> None:
    with hostile_agent() as server:
        agent = {"provider": "http", "url": server.url(path)}
        ended = run(tmp_path, agent, [conversation(f"orders.c{n}") for n in range(15)], "-k", "2")
        asked = len(server.received)
    assert ended.code == 1
    assert asked <= 15, "all samples of two scenarios, one of a third, and those that ran beside them"
    assert spared(ended) == 30 - asked
    assert {reason for ends in ended.ends().values() for _, reason in ends} == {"http_error"}
    assert f"answered HTTP {path[1:]}" in ended.out.splitlines()[-3]


def test_one_answer_among_the_first_keeps_the_run_going(tmp_path: Path) -> None:
    with hostile_agent() as server:
        agents = [
            {"name": "wrong", "provider": "http", "url": server.url("/404")},
            {"name": "right", "provider": "http", "url": server.url("/ok")},
        ]
        scenarios = [
            conversation(f"orders.c{n}", agent="right" if n == 0 else "wrong", keyword="shipped") for n in range(8)
        ]
        project = write_project(tmp_path, {"agents": agents}, scenarios)
        ended = agentlab(project, "run")
    assert ended.ends()["orders.c0"] == [("passed", "completed")]
    assert {ends[0] for name, ends in ended.ends().items() if name != "orders.c0"} == {("error", "http_error")}


@pytest.mark.parametrize(
    ("status", "code"), [("429 Too Many Requests", "insufficient_quota"), ("402 Payment Required", "no_credit")]
)
def test_an_account_without_credit_is_given_up_on_and_not_called_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, code: str
) -> None:
    body = json.dumps({"error": {"message": "no money left", "code": code}}).encode()
    monkeypatch.setitem(loopback.ROUTES, "/v1/chat/completions", loopback.fixed(body, status=status))
    with hostile_agent() as server:
        agent = {"provider": "openai", "model": "m", "base_url": server.url("/v1"), "api_key_env": "MODEL_KEY"}
        ended = run(tmp_path, agent, [conversation(f"orders.c{n}") for n in range(20)])
        asked = len(server.received)
    assert asked <= 10, "three samples, and those that ran beside them"
    assert spared(ended) == 20 - asked
    assert "too many requests" not in ended.out
    assert "no money left" in ended.out.split("last words of mine:")[1]


def refuse_all(server: HostileAgent, folder: Path, *arguments: str) -> Ended:
    agent = {"provider": "http", "url": server.url("/429-for-a-day")}
    return run(folder, agent, [conversation(f"orders.c{n}") for n in range(4)], *arguments)


def test_repeated_429s_end_in_one_sentence_with_a_lower_concurrency(tmp_path: Path) -> None:
    with hostile_agent() as server:
        ended = refuse_all(server, tmp_path, "-k", "4", "--concurrency", "8")
    sentences = [line for line in ended.out.splitlines() if "too many requests" in line]
    (sentence,) = sentences
    assert sentence.startswith("agent mine got too many requests (HTTP 429): 16 samples got no answer; ")
    assert "`max_concurrency: " in sentence
    report = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert "agent `mine` got too many requests (HTTP 429): 16 samples got no answer; " in report


def test_an_agent_that_refuses_one_sample_at_a_time_needs_a_higher_quota(tmp_path: Path) -> None:
    with hostile_agent() as server:
        ended = refuse_all(server, tmp_path, "--concurrency", "1")
    (sentence,) = [line for line in ended.out.splitlines() if "too many requests" in line]
    assert sentence.endswith("although no two ran at once; take fewer samples, or raise its quota")
