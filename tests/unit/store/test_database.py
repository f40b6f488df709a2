import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agentlab_ci.errors import BadInputError
from agentlab_ci.store.database import BUSY_SECONDS, open_database, open_existing, refuse_foreign, write
from agentlab_ci.store.migrations import MIGRATIONS, migrate
from agentlab_ci.store.writer import StoreWriter


def schema(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))


def test_a_blank_file_gets_the_schema_and_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "a.db"
    with closing(open_database(path)) as connection:
        assert schema(connection).keys() == {"batches", "scenarios", "samples", "approvals"}
        settings = ("journal_mode", "synchronous", "foreign_keys", "user_version", "busy_timeout")
        values = [connection.execute(f"PRAGMA {setting}").fetchone()[0] for setting in settings]
    assert values == ["wal", 1, 1, len(MIGRATIONS), 1000 * BUSY_SECONDS]


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(open_database(path)) as connection:
        first = schema(connection)
        connection.execute("INSERT INTO batches (batch_id, started_at, doc) VALUES ('b', 't', '{}')")
    with closing(open_database(path)) as connection:
        assert schema(connection) == first
        assert connection.execute("SELECT count(*) FROM batches").fetchone() == (1,)


def test_a_file_that_another_process_is_just_making_is_ours(tmp_path: Path) -> None:
    """Its schema may come between two looks at it."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            looks: list[str] = []

            def make_the_schema(statement: str) -> None:
                looks.append(statement)
                if "sqlite_master" in statement:
                    migrate(other)

            connection.set_trace_callback(make_the_schema)
            refuse_foreign(connection)
        assert looks


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_every_older_schema_is_brought_up_to_date(version: int) -> None:
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as old,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as blank,
    ):
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                old.execute(statement)
        old.execute(f"PRAGMA user_version = {version}")
        migrate(old)
        migrate(blank)
        assert schema(old) == schema(blank)


def test_a_step_that_fails_leaves_the_file_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (("CREATE TABLE one (a)", "CREATE TABLE one (a)"),)
    monkeypatch.setattr("agentlab_ci.store.migrations.MIGRATIONS", broken)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection)
        assert schema(connection) == {}
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


def refusal(path: Path) -> str:
    with pytest.raises(BadInputError) as refused:
        open_database(path, seconds=0.05)
    assert str(path) in str(refused.value)
    assert "--db" in str(refused.value)
    return str(refused.value)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(open_database(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert f"it has schema 99, and this agentlab knows up to {len(MIGRATIONS)}" in refusal(path)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 200)
    assert "file is not a database" in refusal(path)
    assert path.read_text() == "Dear diary, " * 200


def test_a_folder_cannot_be_the_database(tmp_path: Path) -> None:
    assert "unable to open database file" in refusal(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert re.search("File exists|Not a directory", refusal(tmp_path / "file" / "sub" / "a.db"))


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE samples (colour TEXT)")
    before = path.read_bytes()
    assert "it is another program's" in refusal(path)
    assert path.read_bytes() == before, "and nothing is written into it"


def make_older(path: Path) -> sqlite3.Connection:
    """Return a connection to a database whose schema is not the newest one."""
    connection = open_database(path)
    for [name] in connection.execute("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL").fetchall():
        kind = "TABLE" if name in schema(connection) else "INDEX"
        connection.execute(f"DROP {kind} IF EXISTS {name}")
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 1")
    return connection


def test_who_reads_does_not_wait_for_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(open_database(path)) as writer:
        writer.execute("INSERT INTO batches (batch_id, started_at, doc) VALUES ('b', 't', '{}')")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM batches")
        with closing(open_database(path, seconds=0)) as reader:
            assert reader.execute("SELECT count(*) FROM batches").fetchone() == (1,)
        writer.execute("COMMIT")


def test_a_database_that_stays_locked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(make_older(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert "database is locked" in refusal(path)
        holder.execute("ROLLBACK")
    open_database(path).close()


def test_a_lock_that_is_let_go_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with closing(make_older(path)) as holder:
        monkeypatch.setattr("time.sleep", lambda _: holder.execute("ROLLBACK"))
        holder.execute("BEGIN IMMEDIATE")
        open_database(path).close()


@pytest.mark.parametrize("opened", [open_database, StoreWriter.open])
def test_nobody_waits_for_a_lock_after_giving_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Callable[..., object]
) -> None:
    path = tmp_path / "a.db"
    asked = iter([False, False, True])
    with closing(make_older(path)) as holder:
        # Did SQLite itself wait as long as it does later, nobody would be asked within this test's life.
        monkeypatch.setattr("agentlab_ci.store.database.BUSY_SECONDS", 3600)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(BadInputError, match="is locked, and is not waited for any longer"):
            opened(path, give_up=lambda: next(asked))
        holder.execute("ROLLBACK")
    assert list(asked) == []


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.db"
    for use in (open_existing, lambda path: write(path, lambda _: None)):
        with pytest.raises(BadInputError, match=f"there is no database {re.escape(str(path))}: .* --db"):
            use(path)
    assert not path.parent.exists()


def write_against_locks(path: Path, locks: int, *, seconds: float) -> str:
    """Change a file that is found locked so often before it can be changed."""
    tries = iter(range(locks))

    def change(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT INTO batches (batch_id, started_at, doc) VALUES ('b', 't', '{}')")
        if next(tries, None) is not None:
            locked = sqlite3.OperationalError("database is locked")
            locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise locked
        return "changed"

    return write(path, change, seconds=seconds)


def test_a_change_that_finds_a_lock_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_database(path).close()
    assert write_against_locks(path, 3, seconds=60) == "changed"
    with closing(open_database(path)) as connection:
        assert connection.execute("SELECT count(*) FROM batches").fetchone() == (1,)


def test_a_lock_that_stays_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_database(path).close()
    with pytest.raises(BadInputError, match=r"cannot be written \(database is locked\)"):
        write_against_locks(path, 1, seconds=-1)
    with closing(open_database(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(BadInputError, match="database is locked"):
            write(path, lambda _: None, seconds=0.05)


VERSION_1 = """
    INSERT INTO batches VALUES ('batch_1', '2026-04-07T00:00:01+00:00', '2026-04-07T00:00:09+00:00', 'failed', 1,
        '{"version": 1, "tool": "agentlab 0.1.0", "batch_id": "batch_1", "started_at": "2026-04-07T00:00:01+00:00",
        "ended_at": "2026-04-07T00:00:09+00:00", "summary": {}, "later": true}');
    INSERT INTO batches VALUES ('batch_2', '2026-04-07T00:00:02+00:00', NULL, NULL, NULL, '{}');
    INSERT INTO scenarios VALUES ('batch_1', 0, 'a.one', '', 'failed',
        '{"scenario_id": "a.one", "suite": "a", "agent": {"name": "shop"}}');
    INSERT INTO scenarios VALUES ('batch_1', 1, 'a.two', '', 'failed', '{"scenario_id": "a.two", ');
    INSERT INTO samples VALUES ('batch_1', 'a.one', '', 1, 'run_1', 'failed', 'evaluator_failed', 60,
        '2026-04-07T00:00:02+00:00', 1200.5, 0.25, '{"scenario_id": "a.one", "sample": 1}');
    INSERT INTO samples VALUES ('batch_1', 'a.one', '', 2, NULL, 'cancelled', 'settled', NULL, NULL, 0, NULL,
        '{"scenario_id": "a.one", "sample": 2}');
"""
"""What an agentlab of the first schema may have left."""


def contents(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    tables = ("batches", "scenarios", "samples")
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}  # noqa: S608


def test_nothing_of_a_first_schema_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as old:
        for statement in MIGRATIONS[0]:
            old.execute(statement)
        old.executescript(VERSION_1)
        old.execute("PRAGMA user_version = 1")
        before = contents(old)
        columns = schema(old)
    assert [len(rows) for rows in before.values()] == [2, 2, 2]
    with closing(open_database(path)) as new:
        assert {
            table: [row[: len(before[table][0])] for row in rows] for table, rows in contents(new).items()
        } == before
        assert new.execute("SELECT suite, agent FROM scenarios").fetchall() == [("a", "shop"), (None, None)]
        assert schema(new).keys() - columns.keys() == {"approvals"}
        assert new.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
