"""The entry point: signals and secrecy first, then the command, then the exit code."""

import gc
import os
import sys
from pathlib import Path

from agentlab_ci.interrupts import INTERRUPTS
from agentlab_ci.processes.file_limit import raise_file_limit
from agentlab_ci.processes.orphans import kill_orphans_if_any
from agentlab_ci.processes.secrecy import forbid_inspection

GC_THRESHOLD = 200_000
"""Objects between searches for cycles, of which a run makes few: with 50,000 it executes 3 % more instructions."""


def main() -> None:
    """Run the command that `sys.argv` names and end the process with its exit code."""
    INTERRUPTS.install(kill_orphans_if_any)
    forbid_inspection()
    raise_file_limit()
    _open_missing_streams()
    gc.set_threshold(GC_THRESHOLD)
    # pydantic would look for plugins in the metadata of every installed package: 5 ms and more.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # httpx would import its own command line, and rich where it is installed, as beside the live view: 30 ms.
    # None is how Python is told that there is no such module.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    from agentlab_ci.cli.group import run_command  # noqa: PLC0415 - the handler comes before the slow imports

    _end_process(run_command(sys.argv[1:]))


def _open_missing_streams() -> None:
    """Give the process the streams that it was started without, as by `>&-`.

    On stdout every write fails, as it would there: what somebody asked for is not lost without a word. Complaints
    that nobody can read are.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the process's end


def _end_process(code: int) -> None:
    """End at once: the interpreter would wait for a name look-up that hangs as long as it hangs."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            continue  # the reader has gone; there is nobody left to tell
    os._exit(code)
