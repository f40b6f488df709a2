"""Why a command did not start, in one sentence that says what to check."""

import errno
import os
import shutil
from pathlib import Path

from agentlab_ci.processes.child import NO_ROOM, Command

_WHERE_TO_RUN = (
    "install it where agentlab runs; in the container Action, which has no tools of the project, use the "
    "`composite` Action instead, or an image of your own built `FROM` agentlab's"
)

_HOW_TO_MAKE_ROOM = (
    "let fewer samples run at once (`concurrency`), or raise the limits of the process (`ulimit -n`, `ulimit -u`)"
)


def explain_start_failure(command: Command, problem: OSError) -> str:
    """Return the sentence for what `Child.start` raised."""
    name = command.argv[0]
    if not command.cwd.is_dir():
        return f"there is no folder `{command.cwd}` to run `{name}` in"
    if problem.errno == errno.ENOENT:
        return _explain_missing(command)
    if problem.errno == errno.EACCES:
        return f"`{name}` may not be executed: `chmod +x` it, or name its interpreter as the command"
    if problem.errno == errno.ENOEXEC:
        return f"`{name}` is no program for this machine: a script needs a first line such as `#!/bin/sh`"
    advice = f"; {_HOW_TO_MAKE_ROOM}" if problem.errno in NO_ROOM else ""
    return f"`{name}` did not start: {problem.strerror or problem}{advice}"


def _explain_missing(command: Command) -> str:
    name = command.argv[0]
    if _find(command) is None:
        return f"the command `{name}` is not there: {_WHERE_TO_RUN}"
    return f"the interpreter that the first line of `{name}` names is not there: {_WHERE_TO_RUN}"


def _find(command: Command) -> Path | None:
    name = command.argv[0]
    if os.path.dirname(name):  # noqa: PTH120 - `./agent` and `agent` differ, which Path forgets
        path = command.cwd / name
        return path if path.exists() else None
    found = shutil.which(name, path=command.env.get("PATH", os.defpath))
    return Path(found) if found else None
