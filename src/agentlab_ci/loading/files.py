"""Which files are read: found, held inside the project, and never waited on."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentlab_ci.errors import Problem
from agentlab_ci.loading.wording import printable, quoted
from agentlab_ci.loading.yaml_source import MAX_BYTES

SUFFIXES = (".yaml", ".yml")


def shown_path(path: Path, cwd: Path) -> str:
    """Return the path as people see it: relative to the working directory, with forward slashes."""
    return printable(Path(os.path.relpath(path, cwd)).as_posix())


def is_inside(root: Path, path: Path) -> bool:
    """Tell whether the path, symlinks resolved, stays in the project and out of its `.git`."""
    return "\0" not in str(path) and _holds(os.path.realpath(root), os.path.realpath(path))


def _holds(real_root: str, real: str) -> bool:
    """Tell the same of two paths without symlinks."""
    prefix = real_root.rstrip("/") + "/"
    return real == real_root or (real.startswith(prefix) and ".git" not in real[len(prefix) :].split("/"))


def is_file(path: Path) -> bool:
    """Tell whether the path is a regular file; a path that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_bytes(path: Path, shown: str) -> bytes | Problem:
    """Return the file's content, at most one byte more than may be parsed, or why it cannot be read."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
            return Problem(path=shown, message=f"cannot be read: it is {kind}, not a file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        what = "it is a link to nothing" if path.is_symlink() else "there is no such file"
        return Problem(path=shown, message=f"cannot be read: {what}")
    except OSError as error:
        return Problem(path=shown, message=f"cannot be read: {error.strerror}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file to read, and what messages call it."""

    shown: str
    path: Path


def find_scenario_files(
    given: Iterable[str], *, root: Path, cwd: Path, leave_out: Path | None = None
) -> tuple[list[FoundFile], list[Problem]]:
    """Return the files that the given files, folders and globs lead to, each once, by path, and what was wrong.

    The given paths are relative to the working directory. `leave_out`, the config, is no scenario.
    """
    files: dict[str, FoundFile] = {}
    problems: list[Problem] = []
    real_root = os.path.realpath(root)
    left_out = None if leave_out is None else os.path.realpath(leave_out)
    for text in given:
        found = [(path, os.path.realpath(path)) for path in _expand(cwd, text, root)]
        hits = [(path, real) for path, real in found if real != left_out]
        if not hits:
            problems.append(Problem(path=printable(text), message=_why_nothing(cwd, text)))
        for path, real in hits:
            shown = shown_path(path, cwd)
            if _holds(real_root, real):
                files.setdefault(real, FoundFile(shown=shown, path=path))
            else:
                message = f"is outside of the project, {quoted(shown_path(root, cwd))}, or in its `.git`"
                problems.append(Problem(path=shown, message=message))
    return sorted(files.values(), key=lambda file: file.shown), problems


def _expand(cwd: Path, text: str, root: Path) -> Iterator[Path]:
    path = cwd / text
    if os.path.lexists(path):
        matches = [path]
    elif glob.has_magic(text):
        found = glob.glob(text, root_dir=cwd, recursive=True)  # noqa: PTH207 - takes absolute patterns too
        matches = [cwd / match for match in sorted(found)]
    else:
        matches = []
    for match in matches:
        if match.is_dir():
            yield from _walk(match, root, set())
        else:
            yield match


def _walk(folder: Path, root: Path, seen: set[str]) -> Iterator[Path]:
    """Yield whatever is named like a scenario file, and links that lead out, for the caller to refuse."""
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    if not is_inside(root, folder):
        yield folder
        return
    for child in sorted(folder.iterdir()):
        if child.suffix in SUFFIXES:
            yield child
        elif child.name != ".git" and child.is_dir():
            yield from _walk(child, root, seen)


def _why_nothing(cwd: Path, text: str) -> str:
    if (cwd / text).is_dir():
        return "the folder holds no scenario file (.yaml or .yml)"
    return "no file matches" if glob.has_magic(text) else "there is no such file or folder"
