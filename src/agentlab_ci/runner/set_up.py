"""A scenario's `setup_script`: what makes the world ready before each sample."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from agentlab_ci.core.scenario import Scenario

if TYPE_CHECKING:
    from agentlab_ci.processes.child import Command
    from agentlab_ci.processes.once import Finished

SECONDS = 30.0
"""What a script may take."""
MOST_OUTPUT_BYTES = 16 << 20
"""What it may print; nobody reads it, so a script that prints more has lost its way."""

SetUp = Callable[[Scenario, int], AbstractAsyncContextManager[Path | None]]
"""Makes the world ready for one sample of a scenario, and gives the folder of the sample's own fixtures.

None where the scenario has no script. Raises SetUpFailedError; leaving it removes the folder.
"""


class SetUpFailedError(Exception):
    """The script did not do its work, so the sample cannot be judged. `stderr` is the end of what it said."""

    def __init__(self, message: str, *, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


def make_set_up(*, project: Path, environ: Mapping[str, str], seconds: float = SECONDS) -> SetUp:
    """Return the function that runs a scenario's script, if it has one, for `seconds` at most.

    It runs in a fresh temporary folder that holds copies of the fixtures in `fixtures/`, which the sample's tools
    then read. A `.py` file runs under this interpreter, anything else by itself. Its arguments are the scenario's
    id and the sample's number, its environment is PATH, HOME and LANG.
    """

    @asynccontextmanager
    async def set_up(scenario: Scenario, sample: int) -> AsyncIterator[Path | None]:
        if scenario.setup_script is None:
            yield None
            return
        from agentlab_ci.processes.child import Command  # noqa: PLC0415 - most runs start no process
        from agentlab_ci.processes.environment import child_environment  # noqa: PLC0415
        from agentlab_ci.tools.fixture_folder import copy_fixtures  # noqa: PLC0415

        with TemporaryDirectory(prefix="agentlab-sample-", ignore_cleanup_errors=True) as temporary:
            folder = Path(temporary)
            try:
                await asyncio.to_thread(copy_fixtures, project, folder / "fixtures")
            except OSError as problem:
                raise SetUpFailedError(f"the project's `fixtures` cannot be copied: {problem}") from None
            runs_it = (sys.executable,) if Path(scenario.setup_script).suffix == ".py" else ()
            command = Command(
                argv=(*runs_it, str(project / scenario.setup_script), scenario.id, str(sample)),
                cwd=folder,
                env=child_environment(environ, ()),
            )
            await _run(command, scenario.setup_script, seconds)
            yield folder / "fixtures"

    return set_up


async def _run(command: "Command", script: str, seconds: float) -> None:
    from agentlab_ci.processes.once import run_once  # noqa: PLC0415 - as above

    try:
        finished = await run_once(command, b"", timeout=seconds, max_bytes=MOST_OUTPUT_BYTES)
    except OSError as problem:
        why = f"{problem.strerror}; is it executable, and is the program of its first line there?"
        raise SetUpFailedError(f"the setup script {script} did not start: {why}") from None
    how = _find_fault(finished, seconds)
    if how is not None:
        raise SetUpFailedError(f"the setup script {script} {how}", stderr=finished.stderr)


def _find_fault(finished: "Finished", seconds: float) -> str | None:
    if finished.timed_out:
        return f"did not end within {seconds:g} s"
    if finished.truncated:
        return f"printed more than {MOST_OUTPUT_BYTES >> 20} MiB"
    if finished.signal is not None:
        return f"was ended by signal {finished.signal}"
    return f"ended with exit code {finished.exit_code}" if finished.exit_code else None
