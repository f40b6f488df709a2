"""Whether anything was written since, without opening the database."""

from pathlib import Path

Fingerprint = tuple[tuple[int, int] | None, ...]


def fingerprint(path: Path) -> Fingerprint:
    """Return what changes whenever something is written: time and size of the file, and of its write-ahead log.

    It may change without a write, when the log goes into the file; None stands for a file that is not there.
    """
    return tuple(_look(file) for file in (path, path.with_name(f"{path.name}-wal")))


def _look(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size)
