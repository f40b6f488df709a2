"""The step summary: one file that every writer of the step shares."""

from collections.abc import Callable
from pathlib import Path

from agentlab_ci.core.text import plural

FILE_LIMIT = 1_000_000
"""Bytes of the whole file; GitHub drops what a step wrote when it is more than 1 MiB."""
OUR_LIMIT = 900_000
"""Bytes that we write at most, so that those who write after us find room."""


def append_summary(path: Path, render: Callable[[int], str]) -> str | None:
    """Append what `render` makes of the bytes that are left in the file that GITHUB_STEP_SUMMARY names.

    `render` gets their number. Returns None, or a sentence for the user when nothing was written, because of too
    little room or an unusable file.
    """
    try:
        taken = path.stat().st_size if path.exists() else 0
        room = min(OUR_LIMIT, FILE_LIMIT - taken)
        content = f"\n\n{render(room - 2)}" if taken else render(room)
        if len(content.encode()) > room:
            return f"no step summary was written: {plural(taken, 'byte')} of the file are taken already"
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except OSError as problem:
        return f"no step summary was written: {problem.strerror}"
    return None
