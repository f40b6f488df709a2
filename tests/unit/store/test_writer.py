import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import Usage
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.store.database import open_database
from agentlab_ci.store.reader import load_report
from agentlab_ci.store.writer import StoreWriter
from factories import make_batch, make_report, make_row, make_samples

BATCH = make_batch()
LONG = 60.0


def run_through(path: Path, report: RunReport, *, told: bool = True) -> None:
    """Store a run as the app does; with `told` each sample is stored as it ends, not only at the run's end."""
    writer = StoreWriter.open(path)
    writer.start_batch(report)
    for row in report.scenarios if told else ():
        for sample in row.samples:
            writer.add_sample(report.batch_id, row.key[0], sample)
    writer.finish_batch(report)
    assert writer.close(LONG) is None


def query(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


REPORTS = {
    "empty": make_report(),
    "passed": make_report(make_row("ppp")),
    "mixed": make_report(make_row("pfe", "a.one"), make_row("fff", "a.two"), make_row("pss", "a.three")),
    "interrupted": make_report(make_row("pc"), ended_by=ExitCode.SIGINT),
    "variants": make_report(make_row("ppf", variant="old"), make_row("fff", variant="new"), make_row("p")),
    "skipped": make_report(make_row("", skipped="cannot run on http")),
    "newer": RunReport.model_validate(make_report(make_row("p")).model_dump() | {"invented_later": {"a": [1]}}),
}


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_comes_back_as_it_was(tmp_path: Path, name: str, told: bool) -> None:
    run_through(tmp_path / "a.db", REPORTS[name], told=told)
    assert load_report(tmp_path / "a.db", BATCH.batch_id) == REPORTS[name]


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.text(st.characters(codec=None, categories=None)))
def test_any_text_comes_back(text: str) -> None:
    sample = make_samples("f")[0].model_copy(update={"final_output": text})
    row = make_row("f", name=text, variant=text or "v").model_copy(update={"samples": (sample,)})
    with TemporaryDirectory() as folder:
        run_through(Path(folder) / "a.db", make_report(row))
        assert load_report(Path(folder) / "a.db", BATCH.batch_id).scenarios == (row,)


def test_lone_surrogates_are_stored_wherever_they_stand(tmp_path: Path) -> None:
    hostile = "a\ud800b"
    [sample] = make_samples("p", scenario_id=hostile)
    row = make_row("p", hostile, variant=hostile).model_copy(update={"samples": (sample,)})
    run_through(tmp_path / "a.db", make_report(row))
    assert load_report(tmp_path / "a.db", BATCH.batch_id).scenarios == (row,)


def test_a_batch_that_was_killed_keeps_its_finished_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with StoreWriter.open(path) as writer:
        writer.start_batch(BATCH)
        writer.add_sample(BATCH.batch_id, None, make_samples("pf")[0])
    assert query(path, "SELECT ended_at, verdict, exit_code FROM batches") == [(None, None, None)]
    assert query(path, "SELECT sample, status FROM samples") == [(1, "passed")]
    with pytest.raises(BadInputError, match="did not end"):
        load_report(path, BATCH.batch_id)


def test_a_later_result_of_a_sample_takes_the_place_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, second = make_samples("ee")
    rewritten = first.model_copy(update={"termination_reason": TerminationReason.AGENT_UNREACHABLE})
    with StoreWriter.open(path) as writer:
        writer.start_batch(BATCH)
        for sample in (first, second, rewritten):
            writer.add_sample(BATCH.batch_id, None, sample)
    assert query(path, "SELECT sample, reason FROM samples ORDER BY sample") == [
        (1, "agent_unreachable"),
        (2, "http_error"),
    ]


def test_the_end_of_a_batch_corrects_what_was_stored_before(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with StoreWriter.open(path) as writer:
        writer.start_batch(BATCH)
        for sample in make_samples("eee"):
            writer.add_sample(BATCH.batch_id, None, sample)
        writer.finish_batch(make_report(make_row("uuu")))
    assert load_report(path, BATCH.batch_id) == make_report(make_row("uuu"))


def test_columns_hold_what_queries_filter_by(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    [sample] = make_samples("f")
    told = {
        "score": 60,
        "started_at": "2026-04-07T00:12:34Z",
        "duration_ms": 1200.5,
        "usage": Usage(cost_usd=0.25),
    }
    row = make_row("f", variant="new").model_copy(update={"samples": (sample.model_copy(update=told),)})
    run_through(path, make_report(row))
    assert query(
        path,
        "SELECT batch_id, scenario_id, variant, sample, run_id, status, reason, score, started_at, duration_ms, "
        "cost_usd FROM samples",
    ) == [
        (
            BATCH.batch_id,
            "billing.refund",
            "new",
            1,
            "run_1",
            SampleStatus.FAILED,
            TerminationReason.EVALUATOR_FAILED,
            60,
            "2026-04-07T00:12:34Z",
            1200.5,
            0.25,
        )
    ]
    assert query(path, "SELECT position, scenario_id, variant, verdict FROM scenarios") == [
        (0, "billing.refund", "new", "failed")
    ]
    assert query(path, "SELECT started_at, ended_at, verdict, exit_code FROM batches") == [
        (BATCH.started_at, BATCH.ended_at, "failed", 1)
    ]


def test_batches_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    one, two = make_report(make_row("pf")), make_report(make_row("fp"))
    two = two.model_copy(update={"batch_id": "batch_two"})
    run_through(path, one)
    run_through(path, two)
    assert load_report(path, one.batch_id) == one
    assert load_report(path, "batch_two") == two


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no database"):
        load_report(tmp_path / "none.db", "b")
    assert not (tmp_path / "none.db").exists()
    run_through(tmp_path / "a.db", make_report())
    with pytest.raises(BadInputError, match="Batch 'b' not found"):
        load_report(tmp_path / "a.db", "b")


def test_a_lock_of_another_process_holds_up_nobody(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    writer = StoreWriter.open(path)
    writer.start_batch(BATCH)
    with closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        # This thread holds the lock: were one of these calls to wait for it, the test would never end.
        for sample in make_samples("pfp"):
            writer.add_sample(BATCH.batch_id, None, sample)
        other.execute("ROLLBACK")
    assert writer.close(LONG) is None
    assert query(path, "SELECT count(*) FROM samples") == [(3,)]


def test_a_write_that_found_a_lock_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentlab_ci.store.database.BUSY_SECONDS", 0.001)
    path = tmp_path / "a.db"
    writer = StoreWriter.open(path)
    with closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer.start_batch(BATCH)
        wait_for_a_lock(writer)
        other.execute("ROLLBACK")
    assert writer.close(LONG) is None
    assert query(path, "SELECT batch_id FROM batches") == [(BATCH.batch_id,)]


def test_a_lock_that_outlasts_the_end_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentlab_ci.store.database.BUSY_SECONDS", 0.001)
    path = tmp_path / "a.db"
    with closing(open_database(path)) as other:
        writer = StoreWriter.open(path)
        other.execute("BEGIN IMMEDIATE")
        writer.start_batch(BATCH)
        for sample in make_samples("ppppppp"):
            writer.add_sample(BATCH.batch_id, None, sample)
        wait_for_a_lock(writer)
        lost = writer.close(0.01)
        assert lost is not None
        assert lost == writer.close(0)
        assert lost == (
            f"not stored in {path} (database is locked): the start of the batch, sample 1/7 of billing.refund, "
            "sample 2/7 of billing.refund, sample 3/7 of billing.refund, sample 4/7 of billing.refund and 3 more"
        )
        writer._thread.join()
        other.execute("ROLLBACK")
    assert query(path, "SELECT count(*) FROM samples") == [(0,)]


def test_a_sample_that_cannot_be_stored_does_not_cost_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    writer = StoreWriter.open(path)
    writer.start_batch(BATCH)
    one, two, three = make_samples("ppp")
    for sample in (one, two.model_copy(update={"score": object()}), three):
        writer.add_sample(BATCH.batch_id, None, sample)
    lost = writer.close(LONG)
    assert lost is not None
    assert lost.endswith("sample 2/3 of billing.refund")
    assert query(path, "SELECT sample FROM samples") == [(1,), (3,)]


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = open_database(path)
    connection.execute("PRAGMA max_page_count = 12")
    writer = StoreWriter(connection, path)
    writer.start_batch(BATCH)
    small, big = make_samples("pp")
    writer.add_sample(BATCH.batch_id, None, big.model_copy(update={"final_output": "x" * 1_000_000}))
    writer.add_sample(BATCH.batch_id, None, small)
    assert writer.close(LONG) == f"not stored in {path} (database or disk is full): sample 2/2 of billing.refund"
    assert query(path, "SELECT sample FROM samples") == [(1,)]


def wait_for_a_lock(writer: StoreWriter) -> None:
    while writer._problem != "database is locked":
        time.sleep(0.001)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_taken_away_during_the_run_is_missed(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "a.db"
    writer = StoreWriter.open(path)
    writer.start_batch(BATCH)
    path.rename(tmp_path / "elsewhere.db")
    if replaced:
        path.touch()
    lost = f"the run is not stored: {path} was removed or replaced while it went on"
    assert writer.close(LONG) == lost
