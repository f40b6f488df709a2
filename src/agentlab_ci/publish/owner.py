"""Files of ours for the workspace's owner: in a container we are root, and the steps after us are not."""

import os
from collections.abc import Iterable
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def not_there_yet(path: Path, *, workspace: Path) -> tuple[Path, ...]:
    """Return the path and its parents inside the workspace that do not exist: what making it creates."""
    inside = _inside(path, workspace)
    if inside is None:
        return ()
    places = (workspace / part for part in (inside, *inside.parents[:-1]))
    return tuple(place for place in places if not os.path.lexists(place))


def hand_over(created: Iterable[Path], *, workspace: Path) -> tuple[str, ...]:
    """Give files and folders inside the workspace to its owner; returns a warning for each that it could not.

    Only root can, so nobody else tries. No symbolic link is followed, neither on the way to a path nor at its end;
    what is outside of the workspace is left alone.
    """
    if os.geteuid() != 0:
        return ()
    try:
        owner = workspace.stat()
    except OSError:
        return ()  # where there is no workspace, nothing was created in it
    warnings = []
    for path in created:
        inside = _inside(path, workspace)
        try:
            if inside is not None:
                _give(workspace, inside, owner.st_uid, owner.st_gid)
        except OSError as problem:
            warnings.append(f"{path} could not be given to the workspace's owner: {problem.strerror}")
    return tuple(warnings)


def _inside(path: Path, workspace: Path) -> Path | None:
    real = Path(os.path.normpath(path))
    return real.relative_to(workspace) if real.is_relative_to(workspace) and real != workspace else None


def _give(workspace: Path, inside: Path, user: int, group: int) -> None:
    folder = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in inside.parts[:-1]:
            deeper = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = deeper
        os.chown(inside.name, user, group, dir_fd=folder, follow_symlinks=False)
    finally:
        os.close(folder)
