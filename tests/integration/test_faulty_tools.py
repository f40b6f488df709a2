"""Tools that go wrong on purpose, as a user meets them: the command, real agent processes, all files read back."""

import sys
from pathlib import Path
from typing import Any

import pytest

from command import Ended, agentlab, write_project

AGENT = """\
import json, sys

def call(tool, **value):
    print(json.dumps({"type": "tool_call", "toolName": tool, "input": value}), flush=True)
    return json.loads(sys.stdin.readline())

start = json.loads(sys.stdin.readline())["input"]
tries = []
for attempt in range(5):
    answer = call("orders.refund", order_id="ord_1024")
    result = answer.get("result")
    if isinstance(result, dict) and result.get("refunded") is True and "amount" in result:
        break
    tries.append(answer.get("error") or json.dumps(result))
said = f"Refunded at attempt {attempt + 1}, after: " + "; ".join(tries)
print(json.dumps({"type": "final", "output": said}), flush=True)
"""
"""An agent that looks at what it gets, and tries again until the refund is confirmed whole."""


def run(folder: Path, *faults: dict[str, Any], seed: int = 0, samples: int = 1, concurrency: int = 1) -> Ended:
    agent = {"name": "worker", "provider": "external_process", "command": sys.executable, "args": ["agent.py"]}
    profile = {
        "name": "bad-day",
        "seed": seed,
        "tool_faults": [{"tool": "orders.refund"} | fault for fault in faults],
    }
    refunded = {"tool": "orders.refund", "match": {"order_id": "ord_1024"}, "succeeded": True}
    scenario = {
        "id": "support.refund",
        "name": "Refund",
        "suite": "support",
        "runtime_profile": "bad-day",
        "task": {"instructions": "Refund ord_1024."},
        "tools": {"allowed": ["orders.refund"]},
        "evaluators": [{"id": "refunded", "type": "tool_call_assertion", "mode": "hard_gate", "config": refunded}],
    }
    write_project(
        folder, {"agents": [agent | {"turn_timeout_ms": 60_000}], "runtime_profiles": [profile]}, [scenario]
    )
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    return agentlab(folder, "run", "--samples", str(samples), "--concurrency", str(concurrency))


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"mode": "timeout", "timeout_ms": 30}, "no result within 30 ms"),
        ({"mode": "error", "error_message": "the bank is closed"}, "the bank is closed"),
        ({"mode": "malformed_output"}, '"MALFORMED_OUTPUT"'),
        ({"mode": "partial_output", "partial_output": {"refunded": True}}, '{"refunded": true}'),
    ],
)
def test_an_agent_recovers_since_nothing_has_happened_yet(tmp_path: Path, fault: dict[str, Any], why: str) -> None:
    ended = run(tmp_path, fault | {"on_call": 1})
    assert ended.code == 0, ended.out + ended.err
    (sample,) = ended.results["scenarios"][0]["samples"]
    assert sample["final_output"] == f"Refunded at attempt 2, after: {why}"
    assert [call["fault"] for call in sample["tool_calls"]] == [fault["mode"], None]
    assert sample["tool_calls"][1]["output"]["amount"] == 49


def test_the_report_names_the_faults_of_an_agent_that_did_not_recover(tmp_path: Path) -> None:
    ended = run(tmp_path, {"mode": "error"})
    assert ended.code == 1, ended.out + ended.err
    report = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert report.count("fault: error") == 5, "one for each of its attempts"
    assert "5 calls of orders.refund" in ended.out
    assert "and none succeeded" in ended.out


def test_the_same_seed_gives_the_same_faults_in_another_process_and_order(tmp_path: Path) -> None:
    fault = {"mode": "error", "probability": 0.5}
    faults = []
    for concurrency in (1, 4):
        ended = run(tmp_path, fault, seed=11, samples=5, concurrency=concurrency)
        samples = ended.results["scenarios"][0]["samples"]
        faults.append([[call["fault"] for call in sample["tool_calls"]] for sample in samples])
    assert faults[0] == faults[1]
    assert len({len(calls) for calls in faults[0]}) > 1
