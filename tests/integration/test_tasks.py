"""Tasks as a user runs them: the command, real agent processes, the built-in tools, all files read back."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from command import agentlab, write_project

AGENT = """\
import json, sys

def say(**message):
    print(json.dumps(message), flush=True)

def call(tool, message=None, usage=None, **value):
    extra = ({"metadata": {"message": message}} if message else {}) | ({"usage": usage} if usage else {})
    say(type="tool_call", toolName=tool, input=value, **extra)
    return json.loads(sys.stdin.readline())

start = json.loads(sys.stdin.readline())["input"]
"""
REFUNDS_TWICE = """
first = call("orders.refund", "refunding", order_id="ord_1024")
second = call("orders.refund", order_id="ord_1024")
say(type="final", output=f"{first['result']['refunded']}; {second['error']}")
"""
MISSPELLS = """
wrong = call("orders.refund", ordr_id="ord_1024")
right = call("orders.refund", order_id="ord_1024")
say(type="final", output=wrong["error"] + " / refunded " + right["result"]["order_id"])
"""
ORDERS = [
    {
        "id": "ord_1024",
        "customer_id": "cus_1",
        "amount": 19.99,
        "currency": "EUR",
        "status": "charged",
        "duplicate_group": "dup_1",
    }
]


def write_agent(folder: Path, script: str, **more: Any) -> dict[str, Any]:
    """Write the agent's script and return its config."""
    (folder / "agent.py").write_text(AGENT + script, encoding="utf-8")
    return {
        "name": "worker",
        "provider": "external_process",
        "command": sys.executable,
        "args": ["agent.py"],
        "turn_timeout_ms": 60_000,
        **more,
    }


def refund_task(**more: Any) -> dict[str, Any]:
    """A task that must refund ord_1024."""
    refunded = {"tool": "orders.refund", "match": {"order_id": "ord_1024"}, "succeeded": True}
    return {
        "id": "support.refund",
        "name": "Refund",
        "suite": "support",
        "task": {"instructions": "Refund ord_1024."},
        "tools": {"allowed": ["orders.refund"]},
        "evaluators": [{"id": "refunded", "type": "tool_call_assertion", "mode": "hard_gate", "config": refunded}],
        **more,
    }


def project(tmp_path: Path, script: str, *scenarios: dict[str, Any], **agent: Any) -> Path:
    folder = write_project(tmp_path, {"agents": [write_agent(tmp_path, script, **agent)]}, list(scenarios))
    (folder / "fixtures" / "support").mkdir(parents=True)
    (folder / "fixtures" / "support" / "orders.json").write_text(json.dumps(ORDERS), encoding="utf-8")
    return folder


def test_fifty_samples_at_once_refund_the_same_order_once_each(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path, REFUNDS_TWICE, refund_task()), "run", "-k", "50", "--concurrency", "16")
    assert ended.code == 0, ended.out + ended.err
    [row] = ended.results["scenarios"]
    assert row["passed"] == 50
    answers = {sample["final_output"] for sample in row["samples"]}
    assert len(answers) == 1
    assert answers.pop().startswith("True; "), "the first refund was made, the second refused"
    assert [[c["error"] is None for c in s["tool_calls"]] for s in row["samples"]] == [[True, False]] * 50


def test_the_trace_is_stored_and_written_with_calls_words_and_times(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path, REFUNDS_TWICE, refund_task()), "run")
    [sample] = ended.results["scenarios"][0]["samples"]
    assert [turn["text"] for turn in sample["turns"]][:2] == ["Refund ord_1024.", "refunding"]
    assert [event["kind"] for event in sample["trace"]] == [
        "turn",
        "turn",
        "tool_call",
        "turn",
        "tool_call",
        "turn",
    ]
    assert [event["at_ms"] for event in sample["trace"]] == sorted(event["at_ms"] for event in sample["trace"])
    assert sample["tool_calls"][0]["input"] == {"order_id": "ord_1024"}
    assert sample["tool_calls"][0]["duration_ms"] >= 0
    with closing(sqlite3.connect(tmp_path / "artifacts" / "agentlab.db")) as database:
        [(stored,)] = database.execute("SELECT doc FROM samples").fetchall()
    assert json.loads(stored)["trace"] == sample["trace"]


def test_a_misspelt_argument_comes_back_as_an_error_and_the_agent_recovers(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path, MISSPELLS, refund_task()), "run")
    [sample] = ended.results["scenarios"][0]["samples"]
    assert (sample["status"], ended.code) == ("passed", 0)
    assert "ordr_id" in sample["tool_calls"][0]["error"]
    assert "order_id" in sample["tool_calls"][0]["error"]
    assert sample["final_output"].endswith("refunded ord_1024")


def test_a_failed_attempt_is_shown_in_the_reports_where_the_decision_is_taken(tmp_path: Path) -> None:
    script = 'call("orders.refund", "I will try", order_id="ord_9")\nsay(type="final", output="Done.")\n'
    ended = agentlab(project(tmp_path, script, refund_task()), "run")
    assert ended.code == 1
    for name in ("report.md", "junit.xml"):
        text = (tmp_path / "agentlab-report" / name).read_text(encoding="utf-8")
        assert 'input: {"order_id": "ord_9"}' in text
        assert "I will try" in text


@pytest.mark.parametrize(
    ("script", "more", "end"),
    [
        (
            'call("orders.refund_all")\n',
            {"tools": {"allowed": ["orders.refund"], "forbidden": ["orders.refund_all"]}},
            ("failed", "forbidden_tool_used"),
        ),
        (
            'while True: call("orders.refund", order_id="ord_1024")\n',
            {"runtime": {"max_steps": 3}},
            ("failed", "step_limit_exceeded"),
        ),
        ("import time; time.sleep(3600)\n", {"runtime": {"timeout_seconds": 0.5}}, ("failed", "timeout_exceeded")),
        (
            'call("no.such")\ncall("orders.refund", order_id="ord_1024")\nsay(type="final", output="")',
            {},
            ("passed", "completed"),
        ),
    ],
)
def test_limits_of_the_scenario_are_failures_and_an_unknown_tool_is_not(
    tmp_path: Path, script: str, more: dict[str, Any], end: tuple[str, str]
) -> None:
    ended = agentlab(project(tmp_path, script, refund_task(**more)), "run")
    assert ended.ends() == {"support.refund": [end]}
    assert ended.code == (0 if end[0] == "passed" else 1)


@pytest.mark.parametrize(
    ("usages", "limit", "code"),
    [
        (({"cost_usd": 0.25}, {"cost_usd": 0.5}), 0.75, 0),
        (({"cost_usd": 0.25}, {"cost_usd": 0.5}), 0.7, 1),
        ((None, None), 9, 1),
    ],
)
def test_what_the_agent_says_it_used_is_summed_and_can_fail_it(
    tmp_path: Path, usages: tuple[Any, Any], limit: float, code: int
) -> None:
    script = (
        f'call("orders.refund", usage={usages[0]!r}, order_id="ord_1024")\n'
        f'say(type="final", output="ok", **({{"usage": {usages[1]!r}}} if {usages[1]!r} else {{}}))\n'
    )
    budget = {"id": "cheap", "type": "cost_max", "mode": "hard_gate", "config": {"max_usd": limit}}
    ended = agentlab(project(tmp_path, script, refund_task(evaluators=[budget])), "run")
    assert ended.code == code, ended.out
    known = [usage["cost_usd"] for usage in usages if usage]
    assert ended.results["scenarios"][0]["samples"][0]["usage"]["cost_usd"] == (sum(known) if known else None)


def test_a_setup_script_changes_what_the_tools_of_its_sample_find(tmp_path: Path) -> None:
    script = 'said = call("orders.refund", order_id="ord_1024")\nsay(type="final", output=said["error"])\n'
    folder = project(tmp_path, script, refund_task(setup_script="empty.py"))
    (folder / "empty.py").write_text('open("fixtures/support/orders.json", "w").write("[]")\n', encoding="utf-8")
    ended = agentlab(folder, "run", "-k", "3")
    assert ended.code == 1
    samples = ended.results["scenarios"][0]["samples"]
    assert ["ord_1024" in sample["final_output"] for sample in samples] == [True] * 3
    assert json.loads((folder / "fixtures" / "support" / "orders.json").read_text(encoding="utf-8")) == ORDERS


def test_a_setup_script_that_fails_is_an_error_of_its_sample_alone(tmp_path: Path) -> None:
    script = 'call("orders.refund", order_id="ord_1024")\nsay(type="final", output="refunded")\n'
    other = refund_task(id="support.other", setup_script="broken.py")
    folder = project(tmp_path, script, refund_task(), other)
    (folder / "broken.py").write_text("raise SystemExit('no database')\n", encoding="utf-8")
    ended = agentlab(folder, "run")
    assert ended.ends() == {
        "support.refund": [("passed", "completed")],
        "support.other": [("error", "tool_error")],
    }
    error = ended.results["scenarios"][1]["samples"][0]["error"]
    assert error["message"] == "the setup script broken.py ended with exit code 1"
    assert "no database" in error["body"]
    assert "could not be judged" in ended.out
