"""The story of ids: write down those that loading makes of labels, so that labels may change."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from agentlab_ci.app import Outcome, World
from agentlab_ci.core.text import plural
from agentlab_ci.errors import BadInputError, ExitCode, InvalidFilesError, Problem
from agentlab_ci.loading.files import find_scenario_files, read_bytes
from agentlab_ci.loading.ids import Rewritten, write_ids
from agentlab_ci.loading.project import read_ids_beside
from agentlab_ci.reports.escape import for_log


def add_ids(paths: tuple[str, ...], world: World) -> Outcome:
    """Write an id into each row of the list files that has none, in place, and say which.

    Paths are files, folders and globs inside the working directory. Ids that the other files of a project have are
    taken, if one of the files belongs to it. Raises InvalidFilesError, with all problems
    and before anything is written, for what is no valid list file; BadInputError for what cannot be written.
    """
    files, problems = find_scenario_files(paths, root=world.cwd, cwd=world.cwd)
    rewritten: list[tuple[str, Path, Rewritten]] = []
    taken = read_ids_beside([file.path for file in files], cwd=world.cwd)
    for file in files:
        raw = read_bytes(file.path, file.shown)
        if isinstance(raw, Problem):
            problems.append(raw)
            continue
        done = write_ids(raw, file.shown, taken=taken)
        taken |= done.ids
        problems += done.problems
        rewritten.append((file.shown, file.path, done))
    if problems:
        raise InvalidFilesError(problems)
    for shown, path, done in rewritten:
        if done.new:
            _replace(path, done.content, shown)
        _say(world, _tell(shown, done))
    return Outcome(exit_code=ExitCode.OK)


def _tell(shown: str, done: Rewritten) -> Iterable[str]:
    if not done.new:
        return [f"{shown}: every row has an id"]
    return [f"{shown}: wrote {plural(len(done.new), 'id')}", *(f"  {new.id}" for new in done.new)]


def _replace(path: Path, content: bytes, shown: str) -> None:
    """Write the file whole or not at all: what a link leads to, with the mode that it has."""
    real = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            shutil.copymode(real, temporary)
            Path(temporary).replace(real)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
    except OSError as problem:
        raise BadInputError(f"cannot write {shown}: {problem.strerror}") from problem


def _say(world: World, lines: Iterable[str]) -> None:
    for line in lines:
        world.console.out(for_log(line))
