"""A scenario's `setup_script`: what makes the world ready before each sample."""

import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from agentlab_ci.core.scenario import Scenario
from agentlab_ci.processes.child import Command
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.once import Finished, run_once

MOST_OUTPUT_BYTES = 16 << 20
"""What the script may print; nobody reads it, so a script that prints more has lost its way."""

SetUp = Callable[[Scenario, int], Coroutine[Any, Any, None]]
"""Makes the world ready for one sample of a scenario; raises SetUpFailedError."""


class SetUpFailedError(Exception):
    """The script did not do its work, so the sample cannot be judged. `stderr` is the end of what it said."""

    def __init__(self, message: str, *, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


def make_set_up(*, project: Path, environ: Mapping[str, str], seconds: float) -> SetUp:
    """Return the function that runs a scenario's script, if it has one, for `seconds` at most.

    A `.py` file runs under this interpreter, anything else by itself, in the project's folder, with the scenario's
    id and the sample's number as its arguments and PATH, HOME and LANG as its environment.
    """

    async def set_up(scenario: Scenario, sample: int) -> None:
        if scenario.setup_script is None:
            return
        script = scenario.setup_script
        runs_it = (sys.executable,) if Path(script).suffix == ".py" else ()
        command = Command(
            argv=(*runs_it, str(project / script), scenario.id, str(sample)),
            cwd=project,
            env=child_environment(environ, ()),
        )
        try:
            finished = await run_once(command, b"", timeout=seconds, max_bytes=MOST_OUTPUT_BYTES)
        except OSError as problem:
            why = f"{problem.strerror}; is it executable, and is the program of its first line there?"
            raise SetUpFailedError(f"the setup script {script} did not start: {why}") from None
        how = _find_fault(finished, seconds)
        if how is not None:
            raise SetUpFailedError(f"the setup script {script} {how}", stderr=finished.stderr)

    return set_up


def _find_fault(finished: Finished, seconds: float) -> str | None:
    if finished.timed_out:
        return f"did not end within {seconds:g} s"
    if finished.truncated:
        return f"printed more than {MOST_OUTPUT_BYTES >> 20} MiB"
    if finished.signal is not None:
        return f"was ended by signal {finished.signal}"
    return f"ended with exit code {finished.exit_code}" if finished.exit_code else None
