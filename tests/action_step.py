"""One step of the Action, run in this process as the runner would run it in a container.

`run_step(folder, github, ...)` gives what the step left: exit code, log, outputs, summary. The project is in
`folder`, which is the workspace.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentlab_ci.action.entrypoint import run_action
from agentlab_ci.app import World
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.reports.formatting import glyphs_for
from agentlab_ci.reports.log import LogStyle
from command import conversation, write_project
from fake_github import REPOSITORY, FakeGitHub

HEAD_SHA = "a" * 40
BASE_SHA = "b" * 40
MERGE_SHA = "c" * 40
TOKEN = "canary-token-0123456789"


@dataclass(frozen=True, kw_only=True)
class Step:
    """How it ended."""

    code: int
    out: list[str]
    err: list[str]
    outputs: dict[str, str]
    summary: str

    @property
    def log(self) -> str:
        """Both streams, as the job log shows them."""
        return "\n".join(self.out + self.err)

    def commands(self, name: str) -> list[str]:
        """The workflow commands of one name."""
        return [line for line in self.out + self.err if line.startswith(f"::{name}")]


def pull_request_payload(*, head_repository: str = REPOSITORY, number: int = 7) -> dict[str, Any]:
    """Return the payload of pull_request and pull_request_target."""
    head = {"sha": HEAD_SHA, "repo": {"full_name": head_repository}}
    base = {"sha": BASE_SHA, "repo": {"full_name": REPOSITORY}}
    return {"pull_request": {"number": number, "head": head, "base": base}}


PRIVILEGED = {
    "pull_request_target": pull_request_payload(head_repository="someone/r"),
    "issue_comment": {"issue": {"number": 7, "pull_request": {}}},
    "workflow_run": {
        "workflow_run": {"head_sha": HEAD_SHA, "head_repository": {"full_name": "someone/r"}, "pull_requests": []}
    },
}
"""Events that a fork caused in a job that has secrets."""


def check_out(folder: Path, sha: str) -> Path:
    """Make the folder look like a checkout of a commit."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text(sha, encoding="utf-8")
    return folder


def run_step(
    folder: Path,
    github: FakeGitHub | None = None,
    *,
    inputs: Mapping[str, str] | None = None,
    event: str = "pull_request",
    payload: Mapping[str, Any] | None = None,
    run_id: int = 1,
    environ: Mapping[str, str] | None = None,
    **world: Any,
) -> Step:
    """Run one step to its end. Without `github` it is no run on GitHub; `world` replaces parts of the world."""
    runner = folder.parent / f"{folder.name}-runner"
    runner.mkdir(exist_ok=True)
    files = {name: runner / f"{name}-{run_id}" for name in ("output", "summary", "event")}
    for file in files.values():
        file.write_text("", encoding="utf-8")
    given = pull_request_payload() if payload is None else payload
    files["event"].write_text(json.dumps(given), encoding="utf-8")
    variables = {
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_OUTPUT": str(files["output"]),
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
        "RUNNER_TEMP": str(runner),
    }
    if github is not None:
        variables |= {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": github.api_url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(run_id),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(files["event"]),
            "GITHUB_SHA": MERGE_SHA,
            "GITHUB_WORKFLOW": "ci",
            "GITHUB_JOB": "scenarios",
            "GITHUB_ACTION": "agentlab",
            "INPUT_GITHUB-TOKEN": TOKEN,
        }
    variables |= {f"INPUT_{name.upper()}": text for name, text in (inputs or {}).items()}
    variables |= environ or {}
    out: list[str] = []
    err: list[str] = []
    parts: dict[str, Any] = {
        "cwd": folder,
        "environ": variables,
        "console": Console(out=out.append, err=err.append, clock=time.monotonic),
        "log_style": LogStyle(glyphs=glyphs_for("utf-8"), github=github is not None),
        "now": lambda: datetime.now(UTC),
        "interrupts": Interrupts(),
    }
    code = run_action(World(**parts | world))
    if github is not None:
        assert github.problems == []
    return Step(
        code=code,
        out=out,
        err=err,
        outputs=read_outputs(files["output"].read_text(encoding="utf-8")),
        summary=files["summary"].read_text(encoding="utf-8"),
    )


def read_outputs(text: str) -> dict[str, str]:
    """Read the file of GITHUB_OUTPUT as the runner does; a later value of a name wins."""
    outputs = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, _, delimiter = line.partition("<<")
        value = []
        while (following := next(lines)) != delimiter:
            value.append(following)
        outputs[name] = "\n".join(value)
    return outputs


def write_mock_project(folder: Path, *, fail_samples: tuple[int, ...] = ()) -> Path:
    """Write a project of two scenarios on a scripted agent that gets these samples wrong."""
    agent = {
        "name": "desk",
        "provider": "mock",
        "replies": [{"reply": "It has shipped."}],
        "fail_samples": list(fail_samples),
    }
    scenarios = [conversation("orders.status"), conversation("orders.delay")]
    return write_project(folder, {"sampling": {"samples": 3}, "agents": [agent]}, scenarios)
