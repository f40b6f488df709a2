"""The how-to pages: their workflows are valid, and they know the messages that the program says."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from action_step import run_step
from agentlab_ci.action.inputs import INPUTS
from command import conversation, write_project
from demo import ROOT
from loopback import closed_port, hostile_agent

PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))
BLOCKS = [
    (f"{page.name}:{number}", block)
    for page in (*PAGES, ROOT / "README.md")
    for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]
TOOLS = Path(sys.executable).parent


def complete(block: dict[Any, Any]) -> dict[Any, Any] | None:
    """Make a whole workflow of a part of one; None for what is no part of a workflow."""
    if block.keys() == {"steps"}:
        block = {"jobs": {"job": {"runs-on": "ubuntu-latest", **block}}}
    if "jobs" not in block:
        return None
    return {"on": "pull_request", **{("on" if key is True else key): value for key, value in block.items()}}


WORKFLOWS = {name: workflow for name, text in BLOCKS if (workflow := complete(yaml.safe_load(text)))}


def actions_of(workflow: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from (step for step in job["steps"] if str(step.get("uses", "")).startswith("OWNER/"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workflows")
    for name, workflow in WORKFLOWS.items():
        (folder / f"{name}.yml").write_text(yaml.safe_dump(workflow), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "command", [["actionlint"], ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]]
)
def test_every_workflow_is_valid(folder: Path, command: list[str]) -> None:
    files = sorted(folder.iterdir())
    assert len(files) > 8
    done = subprocess.run([TOOLS / command[0], *command[1:], *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", WORKFLOWS)
def test_inputs_exist_and_can_be_read(name: str) -> None:
    for step in actions_of(WORKFLOWS[name]):
        for given, value in step.get("with", {}).items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if "${{" not in text:
                INPUTS[given].value(text)


def test_every_page_says_how_the_action_is_used() -> None:
    assert {re.split(":", name)[0] for name, workflow in WORKFLOWS.items() if list(actions_of(workflow))} >= {
        *("quick-start.md", "forks-and-dependabot.md", "reaching-a-server.md", "matrix-and-monorepo.md"),
        *("release-gate.md", "README.md"),
    }


def test_the_readme_s_workflow_is_that_of_the_quick_start() -> None:
    texts = dict(BLOCKS)
    assert texts["README.md:0"] == texts["quick-start.md:0"]


def test_the_readme_s_pictures_are_there() -> None:
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(pictures) > 1
    assert all((ROOT / picture).is_file() for picture in pictures)


TROUBLES = [
    tuple(title.split("`")[1::2])
    for title in re.findall(
        r"^### (.*)$", (ROOT / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8"), re.MULTILINE
    )
]
"""For each entry, the parts of the message that it is about."""


PRINTED: list[tuple[str, int, dict[str, str]]] = [
    ("there is no folder", 2, {"working-directory": "services/missing"}),
    ("is outside the workspace", 2, {"working-directory": ".."}),
    ("there is no suite definition", 2, {"suite-def": "smoke"}),
    ("no scenario matches", 2, {"suite": "orders", "tag": "slow", "ids": "orders.status"}),
    ("--pass-rate does nothing", 2, {"samples": "1", "pass-rate": "0.5", "agent": "broken"}),
    ("the environment variable", 2, {"agent": "secret"}),
    ("did not answer with a status below 500 within", 2, {"wait-for-url": "{url}/500", "wait-seconds": "0.1"}),
    ("answered HTTP 5", 1, {"agent": "broken"}),
    ("is the agent running", 1, {"agent": "closed"}),
    ("unfinished:", 3, {"agent": "slow", "timeout": "0.01", "require-finished": "true"}),
]
"""How an entry begins, and an exit code and inputs with which its message is printed."""


@pytest.mark.parametrize(("begin", "code", "inputs"), PRINTED)
def test_a_message_in_troubleshooting_is_printed(
    tmp_path: Path, begin: str, code: int, inputs: dict[str, str]
) -> None:
    (parts,) = (parts for parts in TROUBLES if parts[0] == begin)
    with hostile_agent() as server, closed_port() as port:
        agents: list[dict[str, Any]] = [
            {"name": "secret", "provider": "http", "url": server.url("/ok"), "headers": {"X": "{{env.NOT_SET}}"}},
            {"name": "broken", "provider": "http", "url": server.url("/500")},
            {"name": "closed", "provider": "http", "url": f"http://127.0.0.1:{port}/"},
            {"name": "slow", "provider": "mock", "replies": [{"reply": "shipped"}], "latency_ms": 60_000},
        ]
        scenarios = [conversation("orders.status"), conversation("billing.vat", tags=["slow"])]
        folder = write_project(tmp_path / "workspace", {"agents": agents}, scenarios)
        given = {name: text.replace("{url}", server.url("")) for name, text in inputs.items()}
        step = run_step(folder, inputs=given)
    assert step.code == code, step.log
    assert not [part for part in parts if part not in step.log]


def test_every_other_message_in_troubleshooting_is_said_somewhere() -> None:
    printed = [begin for begin, _, _ in PRINTED]
    messages = [part for parts in TROUBLES for part in parts if parts[0] not in printed]
    assert len(messages) > 5
    modules = sorted((ROOT / "src").rglob("*.py"))
    said = [
        node.value
        for module in modules
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [message for message in messages if not any(message in text for text in said)]
