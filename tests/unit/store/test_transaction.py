import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agentlab_ci.store.transaction import is_busy, transaction


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None, timeout=0)) as opened:
        opened.execute("CREATE TABLE t (a PRIMARY KEY)")
        yield opened


def rows(connection: sqlite3.Connection) -> list[int]:
    return [a for (a,) in connection.execute("SELECT a FROM t")]


def insert(connection: sqlite3.Connection, *statements: str) -> None:
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)


def test_all_or_nothing(connection: sqlite3.Connection) -> None:
    insert(connection, "INSERT INTO t VALUES (1)")
    with pytest.raises(sqlite3.OperationalError, match="nonsense"):
        insert(connection, "INSERT INTO t VALUES (2)", "nonsense")
    assert rows(connection) == [1]


def test_the_cause_is_told_where_sqlite_has_rolled_back_itself(connection: sqlite3.Connection) -> None:
    # as it may when the disk is full
    with pytest.raises(sqlite3.IntegrityError):
        insert(connection, "INSERT INTO t VALUES (1)", "INSERT OR ROLLBACK INTO t VALUES (1)")
    assert rows(connection) == []


def test_a_lock_is_told_from_other_trouble(connection: sqlite3.Connection, tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other,
        transaction(other),
        pytest.raises(sqlite3.OperationalError) as locked,
    ):
        insert(connection, "INSERT INTO t VALUES (1)")
    with pytest.raises(sqlite3.OperationalError) as broken:
        insert(connection, "nonsense")
    assert is_busy(locked.value)
    assert not is_busy(broken.value)
    assert not is_busy(ValueError())
