"""Tasks in the image: a project's agents, tools and scripts run there, and nothing that they start stays."""

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from children import HOSTILE_CHILDREN
from command import write_project
from container import IMAGE, OWNER, Runner, build_image, owners
from demo import ROOT
from doc_pages import read_page
from fake_github import FakeGitHub, fake_github

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(
        "AGENTLAB_CONTAINERS" not in os.environ, reason="needs the folder that .ci/container makes"
    ),
]
EXAMPLES = ROOT / "docs/examples"
PAGE = read_page("how-to/tasks-in-the-action.md")


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server
    assert server.problems == []


def copy_example(tmp_path: Path, name: str) -> Path:
    return shutil.copytree(EXAMPLES / name, tmp_path / "workspace")


@pytest.mark.parametrize("example", ["process-agent", "python-agent"])
def test_the_example_agents_work_in_it(tmp_path: Path, github: FakeGitHub, example: str) -> None:
    runner = Runner(copy_example(tmp_path, example))
    ended = runner.run(github, inputs={"samples": "2", "pass-rate": "1"})
    assert ended.code == 0, ended.log
    assert ended.outputs["verdict"] == "passed"
    assert owners(runner.workspace) == {(OWNER, OWNER)}


def test_the_tools_of_a_project_and_its_scripts_work_in_it(tmp_path: Path, github: FakeGitHub) -> None:
    workspace = read_page("how-to/tools.md").write(tmp_path / "workspace")
    (workspace / "set_up.py").write_text("open('fixtures/support/orders.json').close()\n", encoding="utf-8")
    scenario = workspace / "scenarios/double.yaml"
    scenario.write_text(f"{scenario.read_text(encoding='utf-8')}setup_script: set_up.py\n", encoding="utf-8")
    with (workspace / "agentlab.config.yaml").open("a", encoding="utf-8") as config:
        config.write("agents: [{name: clerk, provider: mock}]\n")
    ended = Runner(workspace).run(github)
    assert ended.code == 0, ended.log
    assert (workspace / ended.outputs["report-json"]).is_file()


def test_a_missing_interpreter_is_one_sentence_that_says_what_to_do(tmp_path: Path, github: FakeGitHub) -> None:
    ended = Runner(copy_example(tmp_path, "process-agent")).run(github, inputs={"agent": "in-node"})
    assert ended.code == 2, ended.log
    (line,) = (line for line in ended.log.splitlines() if line.startswith("::error "))
    assert "file=agentlab.config.yaml,line=9" in line
    assert "the command `node` is not there" in line
    assert "composite" in line
    assert "FROM" in line
    assert "the command `node` is not there" in ended.summary


OWN_IMAGE = "localhost/agentlab-own:e2e"
USES_ITS_PACKAGE = """
import json, sys
import packaging
job = json.loads(sys.stdin.readline())
print(json.dumps({"type": "final", "output": packaging.__name__}))
"""


@pytest.fixture(scope="module")
def own_image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the image that the page shows."""
    folder = tmp_path_factory.mktemp("own")
    (text,) = PAGE.blocks("image: .github/agentlab/Dockerfile")
    first, rest = text.split("\n", maxsplit=1)
    assert first.startswith("FROM ")
    (folder / "Dockerfile").write_text(f"FROM {IMAGE}\n{rest}", encoding="utf-8")
    (folder / "requirements.txt").write_text("packaging\n", encoding="utf-8")
    build_image(folder, OWN_IMAGE)
    return OWN_IMAGE


def test_an_own_image_has_what_the_agents_need(tmp_path: Path, github: FakeGitHub, own_image: str) -> None:
    workspace = copy_example(tmp_path, "process-agent")
    (workspace / "packed.py").write_text(USES_ITS_PACKAGE, encoding="utf-8")
    config = (workspace / "agentlab.config.yaml").read_text(encoding="utf-8")
    packed = "  - {name: packed, provider: external_process, command: python3, args: [packed.py]}\n"
    (workspace / "agentlab.config.yaml").write_text(config + packed, encoding="utf-8")
    in_node = Runner(workspace, image=own_image).run(github, inputs={"agent": "in-node"})
    assert in_node.code == 0, in_node.log
    packed_ended = Runner(workspace, image=own_image).run(github, inputs={"agent": "packed"}, run_id=2)
    assert packed_ended.code == 1, packed_ended.log
    results = json.loads((workspace / "agentlab-report/results.json").read_text(encoding="utf-8"))
    assert [row["samples"][0]["final_output"] for row in results["scenarios"]] == ["packaging", "packaging"]


def hostile_agent(name: str, mode: str) -> dict[str, Any]:
    return {
        "name": name,
        "provider": "external_process",
        "command": "python3",
        "args": ["process_agent.py", mode, "marker"],
        "turn_timeout_ms": 3_600_000,
    }


def hostile_task(scenario_id: str, agent: str) -> dict[str, Any]:
    check = {"type": "final_answer_contains", "mode": "hard_gate", "config": {"required_substrings": ["done"]}}
    return {
        "id": scenario_id,
        "name": scenario_id,
        "suite": "a",
        "agent": agent,
        "task": {"instructions": "Say that you are done."},
        "tools": {"allowed": ["orders.list"]},
        "evaluators": [check],
    }


def test_nothing_that_an_agent_leaves_behind_stays(tmp_path: Path, github: FakeGitHub) -> None:
    modes = {
        "a.leaves": "leaves_a_grandchild_twice_removed",
        "a.then-ends": "no_newline",
        "a.then-stays": "never_answers",
    }
    agents = [hostile_agent(mode, mode) for mode in modes.values()]
    scenarios = [hostile_task(scenario_id, mode) for scenario_id, mode in modes.items()]
    workspace = write_project(tmp_path / "workspace", {"agents": agents}, scenarios)
    shutil.copy(HOSTILE_CHILDREN / "process_agent.py", workspace)
    runner = Runner(workspace)
    inputs = {"samples": "3", "concurrency": "1"}
    with runner.started(f"agentlab-{uuid.uuid4().hex}", github, inputs=inputs) as container:
        container.wait_for("a.then-ends")
        # What the first ones left was killed, and at the latest the second ones' end took note of that.
        container.wait_for_processes(
            ["agentlab action", "agentlab action", "process_agent.py never_answers marker"]
        )
        ended = container.stop()
    assert ended.code == 143, ended.log
    assert ended.outputs["samples-passed"] == "6"
