"""What is said of a database that is damaged: one sentence, on every command that reads what is stored."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentlab_ci.errors import ExitCode
from canned import scenario
from command import agentlab
from stored import store_batch

DAMAGES = {
    "a document cut short": "UPDATE batches SET doc = '{'",
    "a document that is no object": "UPDATE batches SET doc = '[]'",
    "a document that is no text": "UPDATE batches SET doc = x'ff00'",
    "a sample that is nothing": "UPDATE samples SET doc = 'nul'",
    "a table that is gone": "DROP TABLE samples",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_database_is_no_bug_of_agentlab(tmp_path: Path, damage: str) -> None:
    database = tmp_path / "artifacts" / "agentlab.db"
    store_batch(database, "batch_one", "2026-04-07T00:12:30Z", scenario("ppp", "a.one"))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(DAMAGES[damage])
    codes = set()
    for command in (("show", "batch_one"), ("list", "batches"), ("list", "runs"), ("compare", "@last", "@last")):
        ended = agentlab(tmp_path, *command)
        assert "Traceback" not in ended.err
        if ended.code:
            assert ended.code == ExitCode.BAD_INPUT
            assert f"the database {database} " in ended.err
        codes.add(ended.code)
    assert ExitCode.BAD_INPUT in codes
