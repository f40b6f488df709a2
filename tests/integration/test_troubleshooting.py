"""Every message on the troubleshooting page is one that the program prints."""

import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from action_step import HEAD_SHA, pull_request_payload, run_step, write_mock_project
from command import agentlab, conversation, write_project
from demo import ROOT
from fake_github import FORBIDDEN, SECONDARY, FakeGitHub, fake_github, refusal
from loopback import closed_port, hostile_agent

PAGE = (ROOT / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8")
TROUBLES = [tuple(title.split("`")[1::2]) for title in re.findall(r"^### (.*)$", PAGE, re.MULTILINE)]
"""For each entry, the parts of the message that it is about."""


def check(begin: str, said: str) -> None:
    """Hold what was said against the entry that begins so."""
    (parts,) = (parts for parts in TROUBLES if parts[0] == begin)
    assert not [part for part in parts if part not in said], said


INPUTS: list[tuple[str, int, dict[str, str]]] = [
    ("there is no folder", 2, {"working-directory": "services/missing"}),
    ("is outside the workspace", 2, {"working-directory": ".."}),
    ("there is no suite definition", 2, {"suite-def": "smoke"}),
    ("no scenario matches", 2, {"suite": "orders", "tag": "slow", "ids": "orders.status"}),
    ("does not say which agent runs it", 2, {}),
    ("--pass-rate does nothing", 2, {"samples": "1", "pass-rate": "0.5", "agent": "broken"}),
    ("the environment variable", 2, {"agent": "secret"}),
    ("OPENAI_API_KEY is required", 2, {"agent": "model"}),
    ("install it where agentlab runs", 2, {"agent": "missing", "ids": "orders.task"}),
    ("did not answer with a status below 500 within", 2, {"wait-for-url": "{url}/500", "wait-seconds": "0.1"}),
    ("is the agent running", 1, {"agent": "closed"}),
    ("answered HTTP 5", 1, {"agent": "broken"}),
    ("was given up on", 1, {"agent": "refusing", "samples": "5"}),
    ("got too many requests", 1, {"agent": "busy"}),
    ("the agent is busy", 1, {"agent": "busy"}),
    ("no complete answer within", 1, {"agent": "silent"}),
    ("before its final answer", 1, {"agent": "gone", "ids": "orders.task"}),
    ("no reply within", 1, {"agent": "mute", "ids": "orders.task"}),
    ("unfinished:", 3, {"agent": "slow", "timeout": "0.01", "require-finished": "true"}),
]
"""How an entry begins, and an exit code and inputs of the Action with which its message is printed."""

TASK = {
    "id": "orders.task",
    "name": "Look",
    "suite": "orders",
    "task": {"instructions": "Look at the orders."},
    "tools": {"allowed": ["orders.list"]},
    "evaluators": [{"type": "step_count_max", "mode": "hard_gate", "config": {"max": 3}}],
}


def write_troubles(folder: Path, url: Callable[[str], str], port: int) -> Path:
    """Write a project with an agent for each trouble."""
    agents: list[dict[str, Any]] = [
        {"name": "secret", "provider": "http", "url": url("/ok"), "headers": {"X": "{{env.NOT_SET}}"}},
        {"name": "broken", "provider": "http", "url": url("/500")},
        {"name": "refusing", "provider": "http", "url": url("/401"), "max_concurrency": 1},
        {"name": "busy", "provider": "http", "url": url("/429-for-a-day")},
        {"name": "silent", "provider": "http", "url": url("/silence"), "timeout_ms": 50},
        {"name": "closed", "provider": "http", "url": f"http://127.0.0.1:{port}/"},
        {"name": "slow", "provider": "mock", "replies": [{"reply": "shipped"}], "latency_ms": 60_000},
        {"name": "model", "provider": "openai", "model": "m", "base_url": url("/v1")},
        {"name": "missing", "provider": "external_process", "command": "no-such-command"},
        {"name": "gone", "provider": "external_process", "command": sys.executable, "args": ["-c", "pass"]},
        {
            "name": "mute",
            "provider": "external_process",
            "command": sys.executable,
            "args": ["-c", "import sys; sys.stdin.read()"],
            "turn_timeout_ms": 50,
        },
    ]
    scenarios = [conversation("orders.status"), conversation("billing.vat", tags=["slow"]), TASK]
    return write_project(folder, {"agents": agents}, scenarios)


@pytest.mark.parametrize(("begin", "code", "inputs"), INPUTS)
def test_of_the_action(tmp_path: Path, begin: str, code: int, inputs: dict[str, str]) -> None:
    with hostile_agent() as server, closed_port() as port:
        folder = write_troubles(tmp_path / "workspace", server.url, port)
        given = {name: text.replace("{url}", server.url("")) for name, text in inputs.items()}
        step = run_step(folder, inputs=given, environ={"PATH": os.environ["PATH"]})
    assert step.code == code, step.log
    check(begin, step.log)


FORK = pull_request_payload(head_repository="someone/r")


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server


def refuse(github: FakeGitHub) -> None:
    github.fail("POST", FORBIDDEN)


def make_busy(github: FakeGitHub) -> None:
    github.fail("GET", refusal(403, SECONDARY, retry_after="300"))


COMMENTS: list[tuple[str, dict[str, Any], Callable[[FakeGitHub], None] | None]] = [
    ("runs for a fork's pull request have no token that may write", {"payload": FORK}, None),
    ("grant the job", {}, refuse),
    ("GitHub was waited for, but", {}, make_busy),
]
"""How an entry begins, the event, and what is wrong at GitHub."""


@pytest.mark.parametrize(
    ("begin", "event", "spoil"), COMMENTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_of_the_comment(
    tmp_path: Path,
    github: FakeGitHub,
    begin: str,
    event: dict[str, Any],
    spoil: Callable[[FakeGitHub], None] | None,
) -> None:
    if spoil is not None:
        spoil(github)
    step = run_step(write_mock_project(tmp_path / "workspace"), github, **event)
    assert step.code == 0, step.log
    check(begin, step.log + step.summary)


def test_of_two_jobs_with_one_comment(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_mock_project(tmp_path / "workspace")
    run_step(folder, github)
    check("another job of this run wrote the same comment", run_step(folder, github).log)


def test_of_untrusted_code(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_mock_project(tmp_path / "workspace")
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text(HEAD_SHA, encoding="utf-8")
    step = run_step(folder, github, event="pull_request_target", payload=FORK)
    assert step.code == 2
    check("refused to run: on", step.log)


def write_no_scenario(folder: Path) -> None:
    (folder / "agentlab.config.yaml").write_text("agents: []\n", encoding="utf-8")


def write_foreign_database(folder: Path) -> None:
    write_mock_project(folder)
    (folder / "artifacts").mkdir()
    with closing(sqlite3.connect(folder / "artifacts/agentlab.db")) as connection:
        connection.execute("CREATE TABLE scenarios (id TEXT)")


def write_config(folder: Path) -> None:
    (folder / "agentlab.config.yaml").write_text("agents: []\n", encoding="utf-8")


def run_once(folder: Path) -> None:
    agentlab(write_mock_project(folder, fail_samples=(1, 2)), "run")


def run_both(folder: Path) -> None:
    run_once(folder)
    agentlab(folder, "run", "orders.status")


COMMANDS: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("no scenario: looked here for", write_no_scenario, ["run"]),
    ("cannot be used", write_foreign_database, ["run"]),
    ("there is no database", write_mock_project, ["show", "@last"]),
    ("Run '", run_once, ["show", "run_20260407_001234_k3f9ab"]),
    ("Missing baseline or candidate suite batch id", write_mock_project, ["compare", "--suite", "@last"]),
    ("are not of the same selection", run_both, ["compare", "--suite", "@prev", "@last"]),
    ("not approved:", run_once, ["approve", "@last"]),
    ("there is no baseline", write_mock_project, ["run", "--baseline", "baseline.json"]),
    ("needs", write_mock_project, ["run", "--fail-on", "regression"]),
    ("would be overwritten, so nothing was written", write_config, ["init", "--yes"]),
    ("There is no terminal to ask on", write_config, ["init", "--domain", "ops"]),
]
"""How an entry begins, the project, and a command that ends with exit code 2 and its message."""


@pytest.mark.parametrize(
    ("begin", "write", "arguments"), COMMANDS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_of_a_command(tmp_path: Path, begin: str, write: Callable[[Path], object], arguments: list[str]) -> None:
    write(tmp_path)
    ended = agentlab(tmp_path, *arguments)
    assert ended.code == 2, ended.out + ended.err
    check(begin, ended.err)


def test_no_entry_is_left_out() -> None:
    own = ["another job of this run wrote the same comment", "refused to run: on"]
    checked = [*(row[0] for row in (*INPUTS, *COMMENTS, *COMMANDS)), *own]
    assert sorted(checked) == sorted(parts[0] for parts in TROUBLES)
