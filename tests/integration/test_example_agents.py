"""The example agents of the docs: each does the job of its project as it stands, in every language alike."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import Ended, agentlab
from demo import ROOT

EXAMPLES = ROOT / "docs/examples"
NODE = shutil.which("node")
needs_node = [pytest.mark.node, pytest.mark.skipif(NODE is None, reason="there is no node; .ci/run installs it")]
AGENTS = [
    pytest.param("process-agent", None, id="process in Python"),
    pytest.param("process-agent", "in-node", id="process in Node", marks=needs_node),
    pytest.param("python-agent", None, id="Python function"),
]
PROCESSES = [
    pytest.param([sys.executable, "agent.py"], id="Python"),
    pytest.param([NODE, "agent.mjs"], id="Node", marks=needs_node),
]

CALLS: dict[str, list[tuple[str, str | None]]] = {
    "support.double-charge": [
        ('crm.search_customer {"email": "alice@example.com"}', None),
        ('orders.list {"customer_id": "cus_100"}', None),
        ('orders.refund {"order_id": "ord_1024"}', None),
    ],
    "support.misspelt-order": [
        ('orders.refund {"order_id": "ord_2OO1"}', "there is no order ord_2OO1"),
        ('crm.search_customer {"email": "bob@example.com"}', None),
        ('orders.list {"customer_id": "cus_101"}', None),
        ('orders.refund {"order_id": "ord_2001"}', None),
    ],
}
"""By scenario: each call, and the error that came of it."""
WORDS = {
    "support.double-charge": [
        "I look for the charge that was made twice.",
        "cus_100 it is.",
        "The second one of two that are the same.",
        "Refunded ord_1024: 49 USD.",
    ],
    "support.misspelt-order": [
        "The customer names the order.",
        "there is no order ord_2OO1, so I look for it.",
        "cus_101 it is.",
        "The second one of two that are the same.",
        "Refunded ord_2001: 80 EUR.",
    ],
}
"""By scenario: what the agent says beside its calls, and in the end."""


def run(folder: Path, agent: str | None) -> Ended:
    return agentlab(folder, "run", *(["--agent", agent] if agent else []))


def read_sample(ended: Ended, scenario_id: str) -> Any:
    rows = {row["scenario_id"]: row for row in ended.results["scenarios"]}
    (sample,) = rows[scenario_id]["samples"]
    return sample


@pytest.mark.parametrize(("example", "agent"), AGENTS)
def test_it_does_its_job(tmp_path: Path, example: str, agent: str | None) -> None:
    folder = shutil.copytree(EXAMPLES / example, tmp_path / example)
    before = sorted(folder.rglob("*"))
    ended = run(folder, agent)
    assert ended.code == 0, ended.out + ended.err
    assert {path.parts[-1] for path in {*folder.iterdir()} - {*before}} == {"agentlab-report", "artifacts"}
    for scenario_id, calls in CALLS.items():
        sample = read_sample(ended, scenario_id)
        made = [(f"{call['name']} {json.dumps(call['input'])}", call["error"]) for call in sample["tool_calls"]]
        assert made == calls
        assert [turn["text"] for turn in sample["turns"] if turn["role"] == "agent"] == WORDS[scenario_id]
        assert sample["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0}


OTHERS = {
    "support.no-double": ("carol@example.com", "I refunded nothing: there is no charge that was made twice."),
    "support.nobody": ("x@example.com", "I could not do it: there is no customer with the email x@example.com."),
}
"""Tasks that cannot be done: the customer, and what the agent says in the end."""


@pytest.mark.parametrize(("example", "agent"), AGENTS)
def test_it_says_so_when_there_is_nothing_to_refund(tmp_path: Path, example: str, agent: str | None) -> None:
    folder = shutil.copytree(EXAMPLES / example, tmp_path / example)
    double = (folder / "scenarios/double-charge.yaml").read_text(encoding="utf-8")
    for scenario_id, (email, _) in OTHERS.items():
        text = double.replace("support.double-charge", scenario_id).replace("alice@example.com", email)
        (folder / f"scenarios/{scenario_id}.yaml").write_text(text, encoding="utf-8")
    ended = run(folder, agent)
    assert ended.code == 1, ended.out + ended.err
    for scenario_id, (_, final) in OTHERS.items():
        sample = read_sample(ended, scenario_id)
        assert (sample["termination_reason"], sample["final_output"]) == ("completed", final)


START = {"type": "run_started", "input": {"context": {"customer_email": "alice@example.com"}}}


def talk(command: list[str], *lines: Any) -> subprocess.CompletedProcess[str]:
    """Say the lines to the agent, and then nothing more."""
    said = "".join(json.dumps(line) + "\n" for line in lines)
    return subprocess.run(
        command,
        cwd=EXAMPLES / "process-agent",
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", PROCESSES)
def test_it_leaves_when_nobody_is_there_any_more(command: list[str]) -> None:
    ended = talk(command, START)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["toolName"] == "crm.search_customer"


@pytest.mark.parametrize("command", PROCESSES)
def test_it_says_that_it_was_not_understood(command: list[str]) -> None:
    ended = talk(command, START, {"type": "runner_error", "message": "a line needs the `type`"})
    assert ended.returncode == 1
    assert "I said something wrong: a line needs the `type`" in ended.stderr
