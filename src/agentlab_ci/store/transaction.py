"""Write transactions, and telling a busy database from a broken one."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, all or nothing.

    Takes the write lock at once: a transaction that reads first cannot wait for it later.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def is_busy(problem: Exception) -> bool:
    """Tell whether another process holds the lock, so that trying again may help."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF in _BUSY
