"""Which batches are removed, which stay, and that nothing else is touched."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.stored import BatchRef, RunRef
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.approvals import approve
from agentlab_ci.store.database import open_database, write
from agentlab_ci.store.pruning import Pruned, prune
from agentlab_ci.store.reader import load_report
from agentlab_ci.store.writer import StoreWriter
from factories import make_row, make_samples
from stored import store_batch, store_killed_batch

NOW = datetime(2026, 4, 10, 12, tzinfo=UTC)
DAY = "2026-04-0{}T12:00:00.000+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four batches that ended, on the 2nd, 4th, 6th and 8th of April, and one of the 5th that did not."""
    path = tmp_path / "a.db"
    for day in (2, 4, 6, 8):
        store_batch(path, f"batch_{day}", DAY.format(day), make_row("pf", "a.one"), make_row("p", "a.two"))
    store_killed_batch(path, "batch_5", DAY.format(5), make_row("p.", "a.one"))
    return path


def rows(path: Path) -> dict[str, list[str]]:
    queries = {
        "batches": "SELECT batch_id FROM batches ORDER BY 1",
        "scenarios": "SELECT batch_id FROM scenarios ORDER BY 1",
        "samples": "SELECT batch_id FROM samples ORDER BY 1",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {name: [found for (found,) in connection.execute(sql)] for name, sql in queries.items()}


def left(path: Path) -> list[str]:
    return rows(path)["batches"]


def test_the_newest_are_kept(path: Path) -> None:
    assert prune(path, now=NOW, keep=2) == Pruned(
        removed=("batch_5", "batch_4", "batch_2"), kept=2, approved=0, running=0
    )
    assert rows(path) == {
        "batches": ["batch_6", "batch_8"],
        "scenarios": ["batch_6"] * 2 + ["batch_8"] * 2,
        "samples": ["batch_6"] * 3 + ["batch_8"] * 3,
    }
    assert load_report(path, "batch_6").scenarios[0].samples[1].run_id == "run_6.a.one.2"


@pytest.mark.parametrize(
    ("age", "kept"),
    [
        (timedelta(days=30), ["batch_2", "batch_4", "batch_5", "batch_6", "batch_8"]),
        (timedelta(days=6), ["batch_4", "batch_5", "batch_6", "batch_8"]),  # exactly as old is not older
        (timedelta(days=6, milliseconds=-1), ["batch_5", "batch_6", "batch_8"]),
        (timedelta(0), []),
    ],
)
def test_what_is_older_is_removed(path: Path, age: timedelta, kept: list[str]) -> None:
    prune(path, now=NOW, older_than=age)
    assert left(path) == kept


def test_nothing_is_kept_of_all_when_none_is(path: Path) -> None:
    prune(path, now=NOW, keep=0)
    assert rows(path) == {"batches": [], "scenarios": [], "samples": []}


def test_what_is_approved_stays(path: Path) -> None:
    approve(path, BatchRef(batch_id="batch_2"), at="2026-04-09")
    approve(path, RunRef(run_id="run_4.a.two.1", batch_id="batch_4", scenario_id="a.two"), at="2026-04-09")
    pruned = prune(path, now=NOW, keep=0)
    assert (pruned.removed, pruned.approved) == (("batch_8", "batch_6", "batch_5"), 2)
    assert left(path) == ["batch_2", "batch_4"]


@pytest.mark.parametrize(
    ("now", "running"),
    [
        (NOW.replace(day=6, hour=11), 1),  # silent for less than a day
        (NOW.replace(day=6, hour=13), 0),
    ],
)
def test_what_may_still_run_stays(path: Path, now: datetime, running: int) -> None:
    assert prune(path, now=now, keep=0).running == running
    assert left(path) == ["batch_5"] * running


def test_a_batch_that_goes_on_for_days_is_not_taken_for_killed(path: Path) -> None:
    [sample] = make_samples("p", scenario_id="a.three")
    with StoreWriter.open(path) as writer:
        writer.add_sample("batch_5", None, sample.model_copy(update={"started_at": DAY.format(9)}))
    prune(path, now=NOW.replace(hour=11), keep=0)
    assert left(path) == ["batch_5"]


def test_a_run_that_was_pruned_by_mistake_loses_nothing(path: Path) -> None:
    with StoreWriter.open(path) as writer:
        report = load_report(path, "batch_8")
        prune(path, now=NOW, keep=0)
        writer.add_sample("batch_8", None, report.scenarios[0].samples[0])
        writer.finish_batch(report)
    assert load_report(path, "batch_8") == report


def test_a_dry_run_only_tells(path: Path) -> None:
    before = rows(path)
    told = prune(path, now=NOW, keep=1, dry_run=True)
    assert rows(path) == before
    assert prune(path, now=NOW, keep=1) == told


def fill(path: Path) -> int:
    """Give a batch that is to go a megabyte, and return the size of the file."""
    big = make_samples("p")[0].model_copy(update={"final_output": "x" * 1_000_000})
    with StoreWriter.open(path) as writer:
        writer.add_sample("batch_2", None, big)
    open_database(path).close()
    return path.stat().st_size


def test_the_file_gets_smaller(path: Path) -> None:
    before = fill(path)
    prune(path, now=NOW, keep=1)
    assert path.stat().st_size < before - 1_000_000


def test_a_file_that_is_read_meanwhile_loses_nothing(path: Path) -> None:
    with closing(open_database(path)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM batches").fetchone() == (5,)
        prune(path, now=NOW, keep=1)
        assert reader.execute("SELECT count(*) FROM batches").fetchone() == (5,)
    assert left(path) == ["batch_8"]


def test_a_file_that_is_locked_meanwhile_gets_smaller_the_next_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fill(path)
    with closing(open_database(path)) as other, monkeypatch.context() as patch:

        def remove_then_be_locked(path: Path, change: Any) -> Any:
            removed = write(path, change)
            other.execute("BEGIN IMMEDIATE")
            return removed

        patch.setattr("agentlab_ci.store.pruning.write", remove_then_be_locked)
        patch.setattr("agentlab_ci.store.pruning.BUSY_SECONDS", 0.01)
        prune(path, now=NOW, keep=2)
        other.execute("ROLLBACK")
    assert left(path) == ["batch_6", "batch_8"]
    assert path.stat().st_size >= before
    prune(path, now=NOW, keep=1)
    assert path.stat().st_size < before - 1_000_000


def test_without_a_database_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no database"):
        prune(tmp_path / "a.db", now=NOW, keep=1)
    assert list(tmp_path.iterdir()) == []
