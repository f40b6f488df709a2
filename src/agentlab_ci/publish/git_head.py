"""Which commit is checked out, read without git: the image has none, and git obeys what a project configures."""

import os
import re
from pathlib import Path

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_HOPS = 5


def read_head(folder: Path) -> str | None:
    """Return the commit of HEAD in the nearest repository at or above `folder`, None when it cannot be told."""
    dot_git = find_dot_git(folder)
    if dot_git is None:
        return None
    try:
        return _resolve("HEAD", _git_folder(dot_git))
    except (OSError, ValueError):
        return None


def find_dot_git(place: Path) -> Path | None:
    """Return the nearest `.git` at or above a place, where that really is; None when nothing is checked out there.

    A link to nothing counts: what is below it is no part of a repository further up.
    """
    real = Path(os.path.realpath(place))
    return next((p / ".git" for p in (real, *real.parents) if os.path.lexists(p / ".git")), None)


def _git_folder(dot_git: Path) -> Path:
    """Follow the file that stands for the folder in worktrees and submodules."""
    if dot_git.is_dir():
        return dot_git
    target = dot_git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    return dot_git.parent / target


def _resolve(name: str, git: Path) -> str | None:
    shared = _shared_folder(git)
    for _ in range(_MOST_HOPS):
        content = _read_ref(name, git, shared)
        if content is None or _SHA.fullmatch(content):
            return content
        name = content.removeprefix("ref:").strip()
        if not name.startswith("refs/") or ".." in name:
            return None
    return None


def _shared_folder(git: Path) -> Path:
    """Return where branches are kept: a worktree shares those of its repository."""
    pointer = git / "commondir"
    return git / pointer.read_text(encoding="utf-8").strip() if pointer.is_file() else git


def _read_ref(name: str, git: Path, shared: Path) -> str | None:
    for folder in (git, shared):
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8").strip()
    with (shared / "packed-refs").open(encoding="utf-8") as lines:
        for line in lines:
            sha, _, packed = line.strip().partition(" ")
            if packed == name:
                return sha
    return None
