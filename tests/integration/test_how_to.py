"""The how-to pages: their workflows are valid, and use the inputs that there are."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentlab_ci.action.inputs import INPUTS
from demo import ROOT

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
