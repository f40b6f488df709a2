"""The Action's container, started as a runner starts it, by the podman that `.ci/container` made."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from action_step import MERGE_SHA, TOKEN, pull_request_payload, read_outputs
from fake_github import REPOSITORY, FakeGitHub

IMAGE = "localhost/agentlab:e2e"
BASE = "localhost/base:e2e"
OWNER = 1001
"""Who the runner's files belong to."""
SECONDS = 120
BUILD_SECONDS = 300
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
"""What this machine trusts, for whatever installs packages."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What the container left."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


class Runner:
    """A runner's folders beside `workspace`, and the containers that it starts with them."""

    def __init__(self, workspace: Path, *, image: str = IMAGE) -> None:
        self.podman = find_podman()
        self.workspace = workspace
        self.image = image
        self._folders = {
            name: workspace.parent / name for name in ("_github_home", "_github_workflow", "_runner_file_commands")
        }
        for folder in self._folders.values():
            folder.mkdir(exist_ok=True)
        for name in ("set_output", "step_summary"):
            (self._folders["_runner_file_commands"] / name).write_text("", encoding="utf-8")
        for folder in (workspace, *self._folders.values()):
            give(folder, OWNER)

    def run(self, github: FakeGitHub, **more: Any) -> Ended:
        """Run the Action to its end."""
        done = self.call("run", "--rm", *self._options(github, **more), self.image)
        return self.ended(done.returncode, done.stdout + done.stderr)

    @contextmanager
    def started(self, name: str, github: FakeGitHub, **more: Any) -> Iterator["Started"]:
        """Start the Action and go on; the container is removed in the end."""
        self.call("run", "--detach", "--name", name, *self._options(github, **more), self.image, check=True)
        try:
            yield Started(self, name)
        finally:
            self.call("rm", "--force", name)

    def _options(
        self,
        github: FakeGitHub,
        *,
        inputs: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        run_id: int = 1,
        network: str = "host",
    ) -> list[str]:
        event = self._folders["_github_workflow"] / "event.json"
        event.write_text(json.dumps(pull_request_payload()), encoding="utf-8")
        variables = {
            "HOME": "/github/home",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": "/github/workspace",
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_OUTPUT": "/github/file_commands/set_output",
            "GITHUB_STEP_SUMMARY": "/github/file_commands/step_summary",
            "RUNNER_TEMP": "/github/runner_temp",
            "GITHUB_API_URL": github.api_url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(run_id),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_SHA": MERGE_SHA,
            "GITHUB_WORKFLOW": "ci",
            "GITHUB_JOB": "scenarios",
            "GITHUB_ACTION": "agentlab",
            "INPUT_GITHUB-TOKEN": TOKEN,
            **{f"INPUT_{name.upper()}": text for name, text in (inputs or {}).items()},
            **(environ or {}),
        }
        mounts = {
            self.workspace: "/github/workspace",
            self._folders["_github_home"]: "/github/home",
            self._folders["_github_workflow"]: "/github/workflow",
            self._folders["_runner_file_commands"]: "/github/file_commands",
        }
        return [
            "--workdir=/github/workspace",
            f"--network={network}",
            *(f"--env={name}={text}" for name, text in variables.items()),
            *(f"--volume={outside}:{inside}" for outside, inside in mounts.items()),
        ]

    def call(self, *arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        """Call podman."""
        return subprocess.run(
            [self.podman, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=check,
            timeout=SECONDS,
        )

    def ended(self, code: int, log: str) -> Ended:
        """Collect what a container has left."""
        files = self._folders["_runner_file_commands"]
        return Ended(
            code=code,
            log=log,
            outputs=read_outputs((files / "set_output").read_text(encoding="utf-8")),
            summary=(files / "step_summary").read_text(encoding="utf-8"),
        )


class Started:
    """A container that runs."""

    def __init__(self, runner: Runner, name: str) -> None:
        self._runner = runner
        self._name = name

    def wait_for(self, text: str) -> None:
        """Wait until the log says it."""
        command = [str(self._runner.podman), "logs", "--follow", self._name]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        ) as logs:
            assert logs.stdout is not None
            seen = []
            for line in logs.stdout:
                seen.append(line)
                if text in line:
                    logs.kill()
                    return
        raise AssertionError(f"{text!r} was never said:\n{''.join(seen)}")

    def processes(self) -> list[str]:
        """Return the commands of all its processes, process 1 first."""
        listed = self._runner.call("top", self._name, "pid", "args", check=True).stdout.splitlines()[1:]
        return [
            line.split(maxsplit=1)[1].strip() for line in sorted(listed, key=lambda line: int(line.split()[0]))
        ]

    def wait_for_processes(self, ends: list[str]) -> None:
        """Wait until its processes are just these, process 1 first, by the ends of their commands."""
        until = time.monotonic() + SECONDS
        while len(there := self.processes()) != len(ends) or not all(map(str.endswith, there, ends)):
            assert time.monotonic() < until, there
            time.sleep(0.1)

    def stop(self) -> Ended:
        """Stop it as a runner does at the end of its patience: SIGTERM, and SIGKILL eight seconds later."""
        self._runner.call("stop", "--time=8", self._name, check=True)
        state = self._runner.call("inspect", "--format={{.State.ExitCode}}", self._name, check=True)
        logs = self._runner.call("logs", self._name, check=True)
        return self._runner.ended(int(state.stdout), logs.stdout + logs.stderr)


def find_podman() -> Path:
    """Return the podman of the folder that `.ci/container` made."""
    return Path(os.environ["AGENTLAB_CONTAINERS"]) / "podman"


def build_image(folder: Path, tag: str) -> None:
    """Build the Dockerfile of a folder, with this machine's network, certificates and none of its secrets."""
    options = ["--isolation=chroot", "--network=host", "--pull=never", f"--tag={tag}"]
    if AUTHORITIES.exists():
        options.append(f"--volume={AUTHORITIES}:{AUTHORITIES}:ro")
    done = subprocess.run(
        [find_podman(), "build", *options, folder],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=BUILD_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def give(folder: Path, owner: int) -> None:
    """Let everything in a folder belong to somebody."""
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, owner, owner)


def owners(folder: Path) -> set[tuple[int, int]]:
    """Return whom the things in a folder belong to."""
    return {(path.lstat().st_uid, path.lstat().st_gid) for path in folder.rglob("*")}
