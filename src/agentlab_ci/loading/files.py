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
    try:
        return _holds(os.path.realpath(root), os.path.realpath(path))
    except ValueError:  # a NUL, or half a surrogate pair: no file can have it in its name
        return False


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


def is_folder(path: Path) -> bool:
    """Tell whether the path is a folder; a path that none can have, or that may not be looked at, is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """Tell whether anything is at the path, be it a link to nothing, or whether that cannot be told.

    What cannot be looked at counts as there: whoever reads it says why it cannot be read.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True


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
    given: Iterable[str], *, root: Path, cwd: Path, leave_out: Path | None = None, if_none: str | None = None
) -> tuple[list[FoundFile], list[Problem]]:
    """Return the files that the given files, folders and globs lead to, each once, by path, and what was wrong.

    The given paths are relative to the working directory. `leave_out`, the config, is no scenario. `if_none` is
    said of a given path that leads to nothing, in place of the reason for it.
    """
    files: dict[str, FoundFile] = {}
    problems: list[Problem] = []
    real_root = os.path.realpath(root)
    left_out = None if leave_out is None else os.path.realpath(leave_out)
    for text in given:
        found = list(_expand(cwd, text, root))
        unreadable = [hit for hit in found if isinstance(hit, Problem)]
        hits = [(path, os.path.realpath(path)) for path in found if isinstance(path, Path)]
        hits = [(path, real) for path, real in hits if real != left_out]
        problems += unreadable
        if not hits and not unreadable:
            problems.append(Problem(path=printable(text), message=if_none or _why_nothing(cwd, text)))
        for path, real in hits:
            shown = shown_path(path, cwd)
            if _holds(real_root, real):
                files.setdefault(real, FoundFile(shown=shown, path=path))
            else:
                message = f"is outside of the project, {quoted(shown_path(root, cwd))}, or in its `.git`"
                problems.append(Problem(path=shown, message=message))
    return sorted(files.values(), key=lambda file: file.shown), problems


def _expand(cwd: Path, text: str, root: Path) -> Iterator[Path | Problem]:
    path = cwd / text
    matches = [path] if is_there(path) else []
    if glob.has_magic(text) and not os.path.lexists(path):
        found = glob.glob(text, root_dir=cwd, recursive=True)  # noqa: PTH207 - takes absolute patterns too
        matches = [cwd / match for match in sorted(found)]
    for match in matches:
        if is_folder(match):
            yield from _walk(match, root, cwd)
        else:
            yield match


def _walk(top: Path, root: Path, cwd: Path) -> Iterator[Path | Problem]:
    """Yield whatever is named like a scenario file, in any order, and what stands in the way.

    That is links that lead out, for the caller to refuse, and folders that cannot be read.
    """
    folders, seen = [top], set()
    while folders:
        folder = folders.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        if not is_inside(root, folder):
            yield folder
            continue
        try:
            with os.scandir(folder) as listing:
                children = list(listing)
        except OSError as error:
            yield Problem(path=shown_path(folder, cwd), message=f"cannot be read: {error.strerror}")
            continue
        for child in children:
            if Path(child.name).suffix in SUFFIXES:
                yield folder / child.name
            elif child.name != ".git" and _may_be_folder(child):
                folders.append(folder / child.name)


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except PermissionError:
        return True
    except OSError:
        return False


def _why_nothing(cwd: Path, text: str) -> str:
    if is_folder(cwd / text):
        return "the folder holds no scenario file (.yaml or .yml)"
    return "no file matches" if glob.has_magic(text) else "there is no such file or folder"
