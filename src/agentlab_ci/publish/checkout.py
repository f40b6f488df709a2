"""Whose code is checked out: every commit and every link that is met on the way to what would be read."""

import os
from collections.abc import Iterable
from pathlib import Path

from agentlab_ci.publish.git_head import read_head

MOST_ENTRIES = 10_000
"""Files and folders that are looked at; a tree with more of them is taken for a stranger's."""


def find_foreign(
    places: Iterable[Path], trees: Iterable[Path], *, workspace: Path, own: frozenset[str]
) -> str | None:
    """Return what is not of the commits `own`, as part of a sentence; None when all is.

    All paths count where they really are. Of `places` only the checkout around them counts, of `trees` all that is
    below, too: another checkout, and the targets of links.
    """
    try:
        return _Search(Path(os.path.realpath(workspace)), own).find(places, trees)
    except (OSError, ValueError) as problem:
        return f"the checkout cannot be looked through ({type(problem).__name__})"


class _Search:
    def __init__(self, workspace: Path, own: frozenset[str]) -> None:
        self._workspace = workspace
        self._own = own
        self._pending: list[Path] = []
        self._seen: set[Path] = set()
        self._left = MOST_ENTRIES

    def find(self, places: Iterable[Path], trees: Iterable[Path]) -> str | None:
        for place in places:
            if (found := self._judge(Path(os.path.realpath(place)))) is not None:
                return found
        for tree in trees:
            if (found := self._reach(tree)) is not None:
                return found
        while self._pending:
            if (found := self._look_through(self._pending.pop())) is not None:
                return found
        return None

    def _reach(self, path: Path) -> str | None:
        """Judge where the path really is, and look through that later."""
        real = Path(os.path.realpath(path))
        self._pending.append(real)
        return self._judge(real)

    def _look_through(self, folder: Path) -> str | None:
        if folder in self._seen or not folder.is_dir():
            return None
        self._seen.add(folder)
        with os.scandir(folder) as entries:
            for entry in entries:
                self._left -= 1
                if self._left < 0:
                    return f"the checkout has more than {MOST_ENTRIES:,} files, too many to look through"
                found = self._meet(folder, entry)
                if found is not None:
                    return found
        return None

    def _meet(self, folder: Path, entry: "os.DirEntry[str]") -> str | None:
        if entry.name == ".git":
            return self._judge(folder)
        if entry.is_symlink():
            return self._reach(folder / entry.name)
        if entry.is_dir():
            self._pending.append(folder / entry.name)
        return None

    def _judge(self, real: Path) -> str | None:
        if not real.is_relative_to(self._workspace):
            return f"{real} is read, which is outside the workspace"
        head = read_head(real)
        if head in self._own:
            return None
        shown = real.relative_to(self._workspace).as_posix()
        found = f"{head[:12]} is checked out" if head else "which commit is checked out cannot be told"
        return found if shown == "." else f"{found} at {shown}"
