"""The page on tasks in the Action: its message is the one that is said, and what it shows is valid."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from action_step import run_step
from agentlab_ci.action.inputs import INPUTS
from agentlab_ci.core.config import Config
from demo import ROOT
from doc_pages import read_page
from fake_github import fake_github
from yaml_projects import CONVERSATION, load, write_files

PAGE = read_page("how-to/tasks-in-the-action.md")
STEPS = [
    step
    for block in re.findall(r"```yaml\n(.*?)```", PAGE.text, re.DOTALL)
    for data in [yaml.safe_load(block)]
    for job in data.get("jobs", {"part": data}).values()
    for step in job.get("steps", ())
]


def test_a_missing_interpreter_is_told_as_the_page_says(tmp_path: Path) -> None:
    project = shutil.copytree(ROOT / "docs/examples/process-agent", tmp_path / "workspace")
    with fake_github() as github:
        step = run_step(project, github, inputs={"agent": "in-node"}, environ={"PATH": "/nowhere"})
    message = PAGE.text.split("```text\n")[1].split("\n```")[0]
    lines = (project / "agentlab.config.yaml").read_text(encoding="utf-8").splitlines()
    line = lines.index("    command: node") + 1
    assert step.code == 2, step.log
    assert f"agentlab.config.yaml:{line}:5: {message}" in step.out + step.err
    assert step.commands("error") == [
        f"::error file=agentlab.config.yaml,line={line},col=5,title=agentlab::{message}"
    ]
    assert message in step.summary


def test_the_action_of_an_own_image_is_valid(tmp_path: Path) -> None:
    (text,) = PAGE.blocks("action: .github/agentlab/action.yml")
    (tmp_path / "action.yml").write_text(text, encoding="utf-8")
    tool = Path(sys.executable).parent / "check-jsonschema"
    command = [str(tool), "--builtin-schema", "vendor.github-actions", str(tmp_path / "action.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_its_inputs_are_those_of_agentlab_and_of_the_steps() -> None:
    (text,) = PAGE.blocks("action: .github/agentlab/action.yml")
    declared = yaml.safe_load(text)["inputs"]
    assert declared.keys() <= INPUTS.keys()
    assert declared["github-token"]["default"] == "${{ github.token }}"
    (step,) = (step for step in STEPS if step.get("uses") == "./.github/agentlab")
    assert step["with"].keys() <= declared.keys()


@pytest.mark.parametrize(
    "step", [step for step in STEPS if re.match("OWNER/|docker://", step.get("uses", ""))], ids=lambda s: s["uses"]
)
def test_the_inputs_of_a_step_exist(step: dict[str, Any]) -> None:
    assert step["with"].keys() <= INPUTS.keys()


def test_a_step_that_names_an_image_gives_what_has_no_default_then() -> None:
    defaults = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    expressions = {name for name, given in defaults.items() if "${{" in str(given.get("default"))}
    (step,) = (step for step in STEPS if step.get("uses", "").startswith("docker://"))
    assert expressions <= step["with"].keys()


def test_the_agents_of_the_page_are_valid(tmp_path: Path) -> None:
    (text,) = PAGE.blocks("config")
    project = load(write_files(tmp_path, {"agentlab.config.yaml": text, "scenarios/a.yaml": CONVERSATION}))
    assert isinstance(project.config, Config)
    assert [agent.name for agent in project.config.agents] == ["in-node", "in-python", "function"]


def test_the_image_is_built_on_the_one_that_releases_push() -> None:
    (dockerfile,) = PAGE.blocks("image: .github/agentlab/Dockerfile")
    assert re.match(r"FROM ghcr\.io/OWNER/agentlab-ci:\d+\.\d+\.\d+\n", dockerfile)
    # `python3` is the project's own, for agents that are named so.
    assert "ENV PATH=/opt/project/venv/bin:$PATH" in dockerfile
    entry = re.findall(r"^ENTRYPOINT .*$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert entry == ['ENTRYPOINT ["/opt/agentlab/bin/agentlab", "action"]'], "started by its full path"
