"""A run that is half through until the test lets it go on: an agent that answers when a file is there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from command import conversation, write_project

SHIPS = {"name": "ships", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
GATED = {"name": "gated", "provider": "python", "target": "gated:answer"}
GATE = """
import pathlib, time

def answer(messages, context, tools):
    while not pathlib.Path({path!r}).exists():
        time.sleep(0.01)
    return "It has shipped."
"""


def gated_project(folder: Path, *scenarios: Mapping[str, Any], **config: Any) -> Path:
    """Write a project with an agent that answers at once, and one that does when `open_gate` was called."""
    (folder / "gated.py").write_text(GATE.format(path=str(_gate(folder))), encoding="utf-8")
    return write_project(folder, {"agents": [SHIPS, GATED]} | config, scenarios)


def half_done(folder: Path, **config: Any) -> Path:
    """Write a project whose first scenario ends at once, and whose second waits at the gate."""
    quick, slow = conversation("a.quick", agent="ships"), conversation("a.slow", agent="gated")
    return gated_project(folder, quick, slow, **config)


def open_gate(folder: Path) -> None:
    """Let the second scenario end, now or when it comes to it."""
    _gate(folder).touch()


def _gate(folder: Path) -> Path:
    return folder / "open"
