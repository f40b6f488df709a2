"""The shipped example scenarios, and how each of their samples must end."""

import os
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

ENDS: dict[str, tuple[str, str]] = {
    "billing.double-charge": ("failed passed failed", "failed"),
    "billing.february-invoice": ("passed passed passed", "passed"),
    "coding.fix-total": ("passed passed passed", "passed"),
    "ops.triage-alerts": ("passed passed failed", "passed"),
    "research.expense-deadline": ("passed passed passed", "passed"),
    "support.cancel-subscription": ("passed failed passed", "passed"),
    "support.password-reset": ("passed passed passed", "passed"),
    "support.refund-duplicate": ("passed passed passed", "passed"),
    "support.refund-status": ("passed passed passed", "passed"),
    "support.refund-which-order": ("passed passed passed", "passed"),
    "travel.cabin-bag": ("passed passed passed", "passed"),
    "travel.rebook-flight": ("failed passed passed", "passed"),
    "travel.seat-preference": ("passed passed passed", "passed"),
}
"""By scenario id, in the order of the files: the status of each sample, and the verdict."""


def copy_demo(folder: Path) -> Path:
    """Copy the scenarios and their config into `folder` and return it."""
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    shutil.copy(ROOT / "agentlab.config.yaml", folder)
    return folder


def clean_environ() -> dict[str, str]:
    """Return the environment without what would lead a command back to this checkout, or into a CI job."""
    ours = ("AGENTLAB_", "GITHUB_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def read_ends(results: Any) -> dict[str, tuple[str, str]]:
    """Read from results.json what `ENDS` says."""
    return {
        row["scenario_id"]: (" ".join(sample["status"] for sample in row["samples"]), row["verdict"])
        for row in results["scenarios"]
    }


def read_evaluations(results: Any) -> list[dict[str, Any]]:
    """Read every evaluation of every sample from results.json."""
    return [e for row in results["scenarios"] for s in row["samples"] for e in s["evaluations"]]
