"""The agent-regression-lab project that AGENTLAB_COMPAT names, and what has to be added to it to run all of it."""

import os
import shutil
from pathlib import Path

import pytest

from demo import ROOT

needs_own_files = pytest.mark.skipif(
    "AGENTLAB_COMPAT" not in os.environ, reason="AGENTLAB_COMPAT names no folder with agent-regression-lab's files"
)

REMEMBERS = """\
agents:
  - name: remembers
    provider: mock
    replies:
      - contains: name
        reply: Your name is Alice.
      - contains: seat
        reply: You like an aisle seat.
"""


def copy_own_files(folder: Path) -> Path:
    """Copy the project, which may not be written to."""
    return Path(shutil.copytree(os.environ["AGENTLAB_COMPAT"], folder / "project", copy_function=shutil.copyfile))


def put_tool_into_python(folder: Path) -> None:
    """Put a Python tool in the place of the TypeScript one, and add the agent `remembers`."""
    shutil.copytree(ROOT / "tests/data/user_tools", folder / "user_tools")
    config = folder / "agentlab.config.yaml"
    text = config.read_text(encoding="utf-8")
    for theirs, ours in (
        ("user_tools/findDuplicateCharge.ts", "user_tools/find_duplicate_charge.py"),
        ("exportName: findDuplicateCharge", "exportName: find_duplicate_charge"),
        ("agents:\n", REMEMBERS),
    ):
        assert text.count(theirs) == 1
        text = text.replace(theirs, ours)
    config.write_text(text, encoding="utf-8")
