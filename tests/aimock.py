"""An OpenAI-compatible server that others wrote: `@copilotkit/aimock`, which answers by fixtures.

AGENTLAB_AIMOCK_DIR names a folder whose node_modules hold it; `.ci/run` makes one.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

DATA = Path(__file__).parent / "data"


@contextlib.contextmanager
def aimock(fixtures: str, *, key: str) -> Iterator[str]:
    """Serve a fixture file of `data/` on a free port, for callers with this key; yields the address.

    Strict: a request that no fixture is for is refused.
    """
    folder = os.environ.get("AGENTLAB_AIMOCK_DIR")
    if not folder:
        pytest.skip(
            "AGENTLAB_AIMOCK_DIR is not set: `npm install --prefix DIR @copilotkit/aimock`, and set it to DIR"
        )
    command = Path(folder) / "node_modules" / ".bin" / "llmock"
    with subprocess.Popen(
        [command, "-p", "0", "-h", "127.0.0.1", "-f", DATA / fixtures, "--strict", "--log-level", "info"],
        env=os.environ | {"AIMOCK_API_KEYS": key, "AIMOCK_STRICT_TURN_INDEX": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield _read_url(process)
        finally:
            process.kill()


def journal(url: str, *, key: str) -> list[dict[str, Any]]:
    """Return what the server was asked, oldest first."""
    response = httpx.get(f"{url}/__aimock/journal", headers={"Authorization": f"Bearer {key}"}, trust_env=False)
    received: list[dict[str, Any]] = response.raise_for_status().json()
    return received


def _read_url(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"listening on (http://\S+)", line):
            return found[1]
    raise AssertionError("the server ended before it listened")
