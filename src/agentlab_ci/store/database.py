"""Opening the database file: every process that runs at the same time writes to the same one."""

import sqlite3
import time
from pathlib import Path

from agentlab_ci.errors import BadInputError
from agentlab_ci.store.migrations import NewerSchemaError, migrate
from agentlab_ci.store.transaction import is_busy

OPEN_SECONDS = 10.0
"""How long to wait for another process before the database counts as locked."""
BUSY_SECONDS = 1.0
"""How long SQLite itself waits at a time."""
_PAUSE_SECONDS = 0.02


def open_database(path: Path, *, seconds: float = OPEN_SECONDS) -> sqlite3.Connection:
    """Open the file, made with its folder where it is missing, in WAL mode and with the newest schema.

    The connection may move to another thread. Blocks for up to `seconds`. Raises BadInputError for what is no
    database of ours, cannot be written, or stays locked.
    """
    deadline = time.monotonic() + seconds
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                return _connect(path)
            except sqlite3.OperationalError as problem:
                if not is_busy(problem) or time.monotonic() > deadline:
                    raise
            # On a fresh file the switch to WAL does not wait for the lock: it fails at once.
            time.sleep(_PAUSE_SECONDS)
    except NewerSchemaError as problem:
        raise BadInputError(
            f"the database {path} is a newer agentlab's ({problem}): upgrade, or name another file with --db"
        ) from None
    except (sqlite3.Error, OSError) as problem:
        raise BadInputError(
            f"the database {path} cannot be used ({problem}): name another file with --db"
        ) from problem


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection
