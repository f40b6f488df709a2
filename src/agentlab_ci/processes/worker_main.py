"""The far side of a Python worker: runs the project's code under whatever interpreter, Python 3.8 or newer.

Run as a script, with the project's folder as its argument. It reads a request a line and answers each with a line
of JSON: `{"value": ...}`, or `{"failed": {"type", "message", "frames"}}`. Standard library only, and nothing of
agentlab's: neither may be there for this interpreter.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # the interpreter put our own folder first: no place to import from, for anybody
    _HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is slow to import
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != os.path.realpath(_HERE)]

import contextlib
import importlib
import importlib.util
import json
import runpy
import traceback
from collections.abc import Callable
from typing import IO, Any

_MOST_FRAMES = 20
_MOST_CHARACTERS = 2000


class Worker:
    """One import, then calls of it; or scripts."""

    def __init__(self) -> None:
        self._target: Callable[..., Any] | None = None
        self._loop: Any = None

    def do(self, request: dict[str, Any]) -> Any:
        """Do one request and return its value; raises whatever the project's code raises."""
        todo = request["do"]
        if todo == "import":
            self._target = import_target(request)
            return None
        if todo == "call":
            return self._call(request["args"], request["kwargs"])
        return run_script(request["path"], request["args"])

    def _call(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if self._target is None:
            raise RuntimeError("nothing was imported")
        value = self._target(*args, **kwargs)
        return self._await(value) if hasattr(value, "__await__") else value

    def _await(self, value: Any) -> Any:
        import asyncio  # noqa: PLC0415 - as slow as everything else together

        # One loop for all calls: clients that the project keeps belong to it.
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(_wait_for(value))


async def _wait_for(value: Any) -> Any:
    return await value


def import_target(request: dict[str, Any]) -> Callable[..., Any]:
    """Import the module, by name or by path, and return the callable that `attribute` names in it."""
    if "path" in request:
        name, module = request["path"], _import_file(request["path"])
    else:
        name, module = request["module"], importlib.import_module(request["module"])
    target: Any = module
    for part in request["attribute"].split("."):
        if not hasattr(target, part):
            raise AttributeError(f"`{name}` has no `{request['attribute']}`")
        target = getattr(target, part)
    if not callable(target):
        raise TypeError(f"`{request['attribute']}` in `{name}` is no function but {describe_type(target)}")
    function: Callable[..., Any] = target
    return function


def _import_file(path: str) -> Any:
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100
    # A name that no other module has, whatever the file is called.
    name = "agentlab_project." + name
    sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"`{path}` is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run_script(path: str, args: list[str]) -> None:
    """Run a file as `python FILE` would; exit code 0 is an end like any other."""
    sys.argv = [path, *args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def describe_type(value: Any) -> str:
    """Name the type of a value, as in `a Reply`."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} `{name}`"


def encode(value: Any) -> str:
    """Return the answer that holds `value`, or the one that says why it cannot."""
    try:
        return json.dumps({"value": value}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        message = f"it returned {describe_type(value)}, which is not plain JSON data: {problem}"
        return encode_failure("NotJson", message)


def encode_failure(kind: str, message: str, frames: str = "") -> str:
    """Return the answer that says what went wrong."""
    failed = {"type": kind, "message": message[:_MOST_CHARACTERS], "frames": frames}
    return json.dumps({"failed": failed})


def explain(problem: BaseException) -> str:
    """Return the answer for what the project's code raised, with the frames that are its own."""
    try:
        message = str(problem)
    except Exception:  # noqa: BLE001 - it is the project's `__str__`
        message = "(its message cannot be shown)"
    if isinstance(problem, SystemExit):
        message = f"it called `sys.exit({problem.code!r})`"
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if not _is_ours(frame.filename)]
    shown = "".join(traceback.format_list(frames[-_MOST_FRAMES:]))
    return encode_failure(type(problem).__name__, message, shown)


def _is_ours(filename: str) -> bool:
    return filename in (__file__, importlib.__file__, runpy.__file__) or filename.startswith("<frozen ")


def answer(worker: Worker, line: bytes) -> str:
    """Do what a line asks and return the line that answers it."""
    try:
        value = worker.do(json.loads(line))
    except BaseException as problem:  # noqa: BLE001 - `sys.exit` included: the other side is to hear of it
        return explain(problem)
    return encode(value)


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes to ourselves: what the project prints goes to stderr, and there is nothing to read for it."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def main() -> None:
    """Serve until there are no more requests."""
    requests, answers = _take_pipes()
    sys.path.insert(0, sys.argv[1])
    worker = Worker()
    for line in requests:
        reply = answer(worker, line)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # the project may have closed or replaced it
                stream.flush()
        answers.write(reply.encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
