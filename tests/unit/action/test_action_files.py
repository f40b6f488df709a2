"""action.yml, composite/action.yml, the inputs that are read, the flags of the command and the README agree."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from action_tables import fill_tables
from agentlab_ci.action.inputs import INPUTS, OF_A_RUN
from agentlab_ci.cli.run import command as run_command
from agentlab_ci.loading.livekit_run import MAX_BYTES
from agentlab_ci.publish.outputs import outputs_of
from demo import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
COMPOSITE: dict[str, Any] = yaml.safe_load((ROOT / "composite/action.yml").read_text(encoding="utf-8"))
ONLY_IN_A_CONTAINER = {"localhost-gateway"}
NOT_FOR_A_WORKFLOW = {"provider", "db", "dry-run", "demo", "no-tui"}
"""Flags that the Action does not offer: it keeps its own database, has no terminal, and runs."""


def test_the_action_has_the_inputs_that_are_read() -> None:
    assert list(ACTION["inputs"]) == list(INPUTS)
    defaults = {name: field.get("default", "") for name, field in ACTION["inputs"].items()}
    assert defaults.pop("github-token") == "${{ github.token }}"
    assert defaults == {name: kind.default for name, kind in INPUTS.items() if name != "github-token"}


def test_the_inputs_are_the_flags_of_the_command() -> None:
    flags = {
        name.removeprefix("--")
        for parameter in run_command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
        if name.startswith("--")
    }
    arguments = {parameter.name for parameter in run_command.params if isinstance(parameter, click.Argument)}
    named = list(INPUTS)
    shared = set(named[: named.index("working-directory")])
    assert shared == (flags | arguments) - NOT_FOR_A_WORKFLOW


def test_defaults_are_those_of_the_command() -> None:
    flags = {parameter.opts[0].removeprefix("--"): parameter for parameter in run_command.params}
    given = {name: str(flags[name].default) for name in ("fail-on", "report-dir", "format", "junit-style")}
    assert given == {name: INPUTS[name].default for name in given}


def test_the_composite_action_has_the_same_inputs() -> None:
    assert COMPOSITE["inputs"] == {
        name: field for name, field in ACTION["inputs"].items() if name not in ONLY_IN_A_CONTAINER
    }
    (step,) = (step for step in COMPOSITE["runs"]["steps"] if step.get("id") == "run")
    assert step["env"] == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in COMPOSITE["inputs"]
    }


def test_both_actions_have_the_outputs_that_are_written() -> None:
    assert list(ACTION["outputs"]) == list(COMPOSITE["outputs"])
    assert ACTION["outputs"].keys() == outputs_of(None).keys()
    assert COMPOSITE["outputs"] == {
        name: field | {"value": f"${{{{ steps.run.outputs.{name} }}}}"}
        for name, field in ACTION["outputs"].items()
    }


def test_the_readme_has_their_tables() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert fill_tables(readme) == readme, "run `make docs`"


def test_the_page_on_livekit_names_what_does_nothing_there() -> None:
    page = (ROOT / "docs/how-to/livekit.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"would do nothing\. They are refused(.*?)\n- ", page, re.DOTALL)
    assert re.findall(r"`([a-z-]+)`", said) == [name for name in INPUTS if name in OF_A_RUN]
    assert f"at most {MAX_BYTES >> 20} MiB" in page


def test_the_checkout_builds_its_own_image() -> None:
    assert ACTION["runs"] == {"using": "docker", "image": "Dockerfile"}


class TestSetVersion:
    """What the release workflow does to the checkout."""

    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        for name in ("action.yml", "src/agentlab_ci/__init__.py", ".ci/set-version"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        return tmp_path

    def set_version(self, checkout: Path, version: str) -> subprocess.CompletedProcess[str]:
        command = [str(checkout / ".ci/set-version"), version, "ghcr.io/owner/agentlab-ci"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_version_and_image_are_written_and_nothing_else(self, checkout: Path) -> None:
        assert self.set_version(checkout, "1.2.3").returncode == 0
        action = yaml.safe_load((checkout / "action.yml").read_text(encoding="utf-8"))
        image = {"using": "docker", "image": "docker://ghcr.io/owner/agentlab-ci:1.2.3"}
        assert action == ACTION | {"runs": image}
        assert '\n__version__ = "1.2.3"\n' in (checkout / "src/agentlab_ci/__init__.py").read_text(
            encoding="utf-8"
        )

    @pytest.mark.parametrize("version", ["v1.2.3", "1.2", "1.2.3-rc1", "1.2.3|x", ""])
    def test_anything_else_is_refused(self, checkout: Path, version: str) -> None:
        done = self.set_version(checkout, version)
        assert done.returncode == 2
        assert "is no version" in done.stderr

    def test_a_changed_file_is_refused(self, checkout: Path) -> None:
        (checkout / "action.yml").write_text("runs:\n  image: a\n  image: b\n", encoding="utf-8")
        assert self.set_version(checkout, "1.2.3").returncode == 2
