"""Runs `agentlab` as a user does: a process of its own in a project folder."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo import clean_environ

SECONDS = 60
"""A process that takes longer is stuck; it is killed and its test fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How the process ended, and where."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def results(self) -> Any:
        """What results.json says."""
        return json.loads((self.folder / "agentlab-report" / "results.json").read_text(encoding="utf-8"))

    def ends(self) -> dict[str, list[tuple[str, str]]]:
        """Status and termination reason of every sample, by scenario."""
        return {
            row["scenario_id"]: [(s["status"], s["termination_reason"]) for s in row["samples"]]
            for row in self.results["scenarios"]
        }


def start_agentlab(
    folder: Path,
    *args: str,
    environ: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[str]:
    """Start the command in `folder`; only the variables named here are added to a clean environment.

    `before` are words of a command that starts it, such as `setpriv`.
    """
    return start_python(folder, "-m", "agentlab_ci", *args, environ=environ, before=before, stdin=stdin)


def start_python(
    folder: Path,
    *args: str,
    environ: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[str]:
    """Start Python in `folder` with our package on its path."""
    return subprocess.Popen(
        [*before, sys.executable, *args],
        cwd=folder,
        env=clean_environ() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | dict(environ or {}),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def wait_for(process: subprocess.Popen[str], folder: Path) -> Ended:
    """Wait until the process ends and return what it left."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    return Ended(code=process.returncode, out=out, err=err, folder=folder)


def agentlab(
    folder: Path, *args: str, environ: Mapping[str, str] | None = None, before: Sequence[str] = ()
) -> Ended:
    """Run the command to its end."""
    return wait_for(start_agentlab(folder, *args, environ=environ, before=before), folder)


LAUNCHER = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "agentlab_ci", *sys.argv[2:]]).returncode
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
sys.exit(code)
"""
"""A small process whose only child is the command: a child's peak counts what its parent had at the fork."""


def agentlab_measured(folder: Path, *args: str) -> tuple[Ended, int]:
    """Run the command to its end; returns also its highest memory, in MB."""
    peak = folder.with_name(f"{folder.name}.peak")
    ended = wait_for(start_python(folder, "-c", LAUNCHER, str(peak), *args), folder)
    return ended, int(peak.read_text(encoding="utf-8"))


def write_project(folder: Path, config: Mapping[str, Any], scenarios: Sequence[Mapping[str, Any]]) -> Path:
    """Write a project; JSON is YAML."""
    (folder / "scenarios").mkdir(parents=True, exist_ok=True)
    (folder / "agentlab.config.yaml").write_text(json.dumps(config), encoding="utf-8")
    text = "\n---\n".join(json.dumps(scenario) for scenario in scenarios)
    (folder / "scenarios" / "all.yaml").write_text(text, encoding="utf-8")
    return folder


def conversation(scenario_id: str, *, keyword: str = "shipped", **more: Any) -> dict[str, Any]:
    """Return a conversation of one step whose reply must hold `keyword`."""
    check = {"type": "response_contains", "mode": "hard_gate", "config": {"keywords": [keyword]}}
    steps = [{"role": "user", "message": "Where is my order?", "evaluators": [check]}]
    suite = scenario_id.split(".", maxsplit=1)[0]
    return {"type": "conversation", "id": scenario_id, "name": scenario_id, "suite": suite, "steps": steps} | more
