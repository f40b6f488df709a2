"""The real world, as the command line sees it."""

import contextlib
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from agentlab_ci.errors import BadInputError

if TYPE_CHECKING:
    from agentlab_ci.app import World
    from agentlab_ci.core.github import GitHubEvent


def real_world() -> "World":
    """Build the world from the process: its streams, environment, clock and signals."""
    from agentlab_ci.app import World  # noqa: PLC0415 - the app imports everything
    from agentlab_ci.interrupts import INTERRUPTS  # noqa: PLC0415
    from agentlab_ci.publish.console import Console  # noqa: PLC0415
    from agentlab_ci.reports.formatting import glyphs_for  # noqa: PLC0415
    from agentlab_ci.reports.log import LogStyle  # noqa: PLC0415

    cwd = find_working_directory()
    return World(
        cwd=cwd,
        environ=dict(os.environ),
        console=Console(out=Lines(sys.stdout), err=Lines(sys.stderr), clock=time.monotonic),
        log_style=LogStyle(
            glyphs=glyphs_for(sys.stdout.encoding), github=os.environ.get("GITHUB_ACTIONS") == "true"
        ),
        now=lambda: datetime.now(UTC),
        interrupts=INTERRUPTS,
        event=_read_event(cwd),
    )


def _read_event(cwd: Path) -> "GitHubEvent | None":
    if "GITHUB_REPOSITORY" not in os.environ:  # nor is there an event then
        return None
    from agentlab_ci.publish.event import read_event, read_payload  # noqa: PLC0415 - as above

    return read_event(os.environ, read_payload(os.environ).content, cwd=cwd)


def find_working_directory() -> Path:
    """Return the working directory; raises BadInputError when it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError as problem:
        raise BadInputError("the working directory does not exist any more") from problem


class Lines:
    """Writes lines to a stream. A reader that has gone, as with `| head`, or a full disk does not end the run."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream

    def __call__(self, line: str) -> None:
        """Write one line."""
        if self._stream is None:
            return
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as problem:
            broken, self._stream = self._stream, None
            if not isinstance(problem, BrokenPipeError) and broken is not sys.stderr:
                Lines(sys.stderr)(f"agentlab: nothing more can be printed: {problem.strerror}")


def print_whole(content: bytes) -> None:
    """Write what was asked for to stdout, unless its reader has gone. Raises OSError where that fails."""
    with contextlib.suppress(BrokenPipeError):  # as with `| head`
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
