"""Our side of a Python worker: the project's code in a process of its own, asked by JSON lines."""

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentlab_ci.processes.child import Child, Command
from agentlab_ci.processes.strict_json import NotStrictError, read_json

_FAR_SIDE = Path(__file__).with_name("worker_main.py")

NOT_JSON = "NotJson"
"""The type of a failure that is none of an exception: the code returned what is no JSON."""
_MOST_CHARACTERS = 2000
_MOST_FRAME_CHARACTERS = 64 << 10


class WorkerFailedError(Exception):
    """The project's code failed: `type` of the exception, its `message`, and its own `frames`, innermost last.

    Type and message are cut at 2,000 characters. `frames` is as Python prints a traceback, "" where there are
    none, and its last 65,536 characters.
    """

    def __init__(self, *, type: str, message: str, frames: str) -> None:  # noqa: A002 - as Python calls it
        super().__init__(f"{type}: {message}" if message else type)
        self.type = type
        self.message = message
        self.frames = frames


class Worker:
    """A worker process. One request at a time."""

    def __init__(self, child: Child) -> None:
        self.child = child

    async def call(self, request: Mapping[str, Any]) -> Any:
        """Send a request and return the value that answers it; waits for as long as it is let.

        `{"do": "import", "module" or "path": ..., "attribute": ...}`, then any number of
        `{"do": "call", "args": [...], "kwargs": {...}}`; or `{"do": "script", "path": ..., "args": [...]}`.
        Raises WorkerFailedError, ChildGoneError when the process ended, and LineTooLongError.
        """
        await self.child.write(json.dumps(request).encode("ascii") + b"\n")
        return _read_answer(await self.child.read_line())

    def take_prints(self) -> str:
        """Return the end of what the code printed since the last time, on stdout and stderr."""
        return self.child.take_stderr()


def _read_answer(line: bytes) -> Any:
    # The project's code can write into the pipe too: what comes need not be what our far side writes.
    try:
        match read_json(line):
            case {"value": value}:
                return value
            case {"failed": {"type": str(kind), "message": str(message), "frames": str(frames)}}:
                raise WorkerFailedError(
                    type=kind[:_MOST_CHARACTERS],
                    message=message[:_MOST_CHARACTERS],
                    frames=frames[-_MOST_FRAME_CHARACTERS:],
                )
    except NotStrictError as problem:
        raise WorkerFailedError(
            type=NOT_JSON, message=f"{problem.number} in its answer {problem.fault}", frames=""
        ) from None
    except (ValueError, RecursionError):
        pass
    message = "its answer is nested too deeply, or the code wrote into the pipe that it comes by"
    raise WorkerFailedError(type=NOT_JSON, message=message, frames="")


def worker_command(
    python: Path | str | None, project: Path, *, env: Mapping[str, str], cwd: Path | None = None
) -> Command:
    """Return the command of a worker that has `project` first on its path.

    `python` is an interpreter, ours when None; with a slash in it, it is looked up in the project. `cwd` is the
    project when None.
    """
    interpreter = str(python or sys.executable)
    if os.path.dirname(interpreter):  # noqa: PTH120 - `./python` and `python` differ, which Path forgets
        # Not resolved: a virtual environment is known by the path of its link.
        interpreter = str(project / interpreter)
    # Unbuffered, so that a crash loses nothing of what was printed; no bytecode: the project is left as it was.
    argv = (interpreter, "-u", "-B", str(_FAR_SIDE), str(project))
    return Command(argv=argv, cwd=cwd or project, env=env)


def start_worker(
    python: Path | str | None,
    project: Path,
    *,
    env: Mapping[str, str],
    max_line_bytes: int,
    cwd: Path | None = None,
    mask: Callable[[str], str] = str,
) -> Worker:
    """Start the worker that `worker_command` describes; who starts it ends its `child`. Raises OSError."""
    command = worker_command(python, project, env=env, cwd=cwd)
    return Worker(Child.start(command, max_line_bytes=max_line_bytes, mask=mask))


@asynccontextmanager
async def open_worker(
    python: Path | str | None,
    project: Path,
    env: Mapping[str, str],
    max_line_bytes: int,
    *,
    cwd: Path | None = None,
    mask: Callable[[str], str] = str,
) -> AsyncIterator[Worker]:
    """Start a worker as `start_worker` does, and kill it on leaving."""
    worker = start_worker(python, project, env=env, max_line_bytes=max_line_bytes, cwd=cwd, mask=mask)
    try:
        yield worker
    finally:
        await worker.child.end()
