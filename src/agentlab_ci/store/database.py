"""Opening the database file: every process that runs at the same time writes to the same one."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from agentlab_ci.errors import BadInputError
from agentlab_ci.store.migrations import NewerSchemaError, migrate
from agentlab_ci.store.transaction import is_busy, transaction

ResultT = TypeVar("ResultT")

OPEN_SECONDS = 10.0
"""How long to wait for another process before the database counts as locked."""
BUSY_SECONDS = 1.0
"""How long SQLite itself waits at a time, once the file is open. No signal is seen before it is over."""
_BUSY_OPENING_SECONDS = 0.05
_PAUSE_SECONDS = 0.02


def open_database(
    path: Path, *, seconds: float = OPEN_SECONDS, give_up: Callable[[], bool] = lambda: False
) -> sqlite3.Connection:
    """Open the file, made with its folder where it is missing, in WAL mode and with the newest schema.

    The connection may move to another thread. Blocks for up to `seconds`, and asks `give_up` many times a second
    while the file is locked. Raises BadInputError for what is no database of ours, cannot be written, or stays
    locked, and as soon as `give_up` says so.
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
                if give_up():
                    raise BadInputError(
                        f"the database {path} is locked, and is not waited for any longer"
                    ) from None
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


def open_existing(path: Path, *, seconds: float = OPEN_SECONDS) -> sqlite3.Connection:
    """Open the file as `open_database` does; raises BadInputError too when it is not there."""
    if not path.exists():
        raise BadInputError(
            f"there is no database {path}: it comes with the first run; another one can be named with --db"
        )
    return open_database(path, seconds=seconds)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that is there, to read what is stored.

    Raises BadInputError when it is not there or cannot be used, and for whatever the block finds to be damaged.
    """
    with closing(open_existing(path)) as connection:
        try:
            yield connection
        except (sqlite3.Error, ValueError, TypeError) as problem:
            raise BadInputError(
                f"the database {path} is damaged, or not agentlab's ({problem}): name another file with --db"
            ) from None


def write(
    path: Path, change: Callable[[sqlite3.Connection], ResultT], *, seconds: float = OPEN_SECONDS
) -> ResultT:
    """Make a change to a file that is there, in one transaction, and return what it returns.

    Waits for other processes for up to `seconds`. Raises BadInputError when the file is not there, cannot be used,
    or stays locked.
    """
    deadline = time.monotonic() + seconds
    with closing(open_existing(path, seconds=seconds)) as connection:
        while True:
            try:
                with transaction(connection):
                    return change(connection)
            except sqlite3.Error as problem:
                if not is_busy(problem) or time.monotonic() > deadline:
                    raise BadInputError(f"the database {path} cannot be written ({problem})") from problem


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_OPENING_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        refuse_foreign(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
        connection.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_foreign(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError for a file that another program has made: nothing is written into it."""
    # Both of one moment: another process may be making the file just now.
    connection.execute("BEGIN")
    try:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        connection.rollback()
    if version == 0 and tables:
        raise sqlite3.DatabaseError("it is another program's")
