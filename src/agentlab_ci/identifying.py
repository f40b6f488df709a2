"""The story of ids: write down those that loading makes of labels, so that labels may change."""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from agentlab_ci.app import Outcome, World
from agentlab_ci.core.text import plural
from agentlab_ci.errors import BadInputError, ExitCode, InvalidFilesError, Problem
from agentlab_ci.loading.files import find_scenario_files, read_bytes
from agentlab_ci.loading.ids import Rewritten, find_written_ids, write_ids
from agentlab_ci.loading.project import read_ids_beside
from agentlab_ci.reports.escape import for_log

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def add_ids(paths: tuple[str, ...], world: World) -> Outcome:
    """Write an id into each row of the list files that has none, in place, and say which.

    Paths are files, folders and globs inside the working directory. Ids that stand in any of the files are taken,
    and those that the other files of a project have, if one of the files belongs to it. Raises InvalidFilesError,
    with all problems and before anything is written, for what is no valid list file; BadInputError for what cannot
    be written.
    """
    files, problems = find_scenario_files(paths, root=world.cwd, cwd=world.cwd)
    rewritten: list[tuple[str, Path, Rewritten]] = []
    taken = read_ids_beside([file.path for file in files], cwd=world.cwd)
    contents = [(file, read_bytes(file.path, file.shown)) for file in files]
    problems += (raw for _, raw in contents if isinstance(raw, Problem))
    readable = [(file, raw) for file, raw in contents if not isinstance(raw, Problem)]
    for file, raw in readable:
        taken |= find_written_ids(raw, file.shown)
    for file, raw in readable:
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
    """Write the file whole or not at all: what a link leads to, with the owner and the mode that it has.

    Another name of the same file (a hard link) keeps the old content.
    """
    real = Path(os.path.realpath(path))
    try:
        before = real.stat()
        if not before.st_mode & _WRITABLE or not os.access(real, os.W_OK):
            raise BadInputError(f"cannot write {shown}: it is read-only")
        handle, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                _give_to(file.fileno(), before)
            shutil.copymode(real, temporary)
            Path(temporary).replace(real)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
    except OSError as problem:
        raise BadInputError(f"cannot write {shown}: {problem.strerror}") from problem


def _give_to(handle: int, before: os.stat_result) -> None:
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        os.fchown(handle, before.st_uid, before.st_gid)


def _say(world: World, lines: Iterable[str]) -> None:
    for line in lines:
        world.console.out(for_log(line))
