"""Runs and batches back from the database, ended or not."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.stored import UnendedBatch
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.reader import load_batch, load_report, load_run
from agentlab_ci.store.writer import StoreWriter
from canned import CANNED_REPORTS
from factories import make_batch, make_facts, make_report, make_row, make_samples
from stored import run_id, store_batch, store_killed_batch

AT = "2026-04-07T00:00:01.000+00:00"


@pytest.mark.parametrize("name", ["tasks", "variants", "errors_only"])
def test_every_run_of_a_report_comes_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.db"
    report = store_batch(path, "batch_1", AT, *CANNED_REPORTS[name].scenarios)
    assert load_batch(path, "batch_1") == report
    for row in report.scenarios:
        for sample in row.samples:
            run = load_run(path, run_id("batch_1", row, sample.sample))
            assert (run.sample, run.row, run.variant) == (sample, row, row.key[0])
            assert run.batch.batch_id == "batch_1"
            assert run.batch.model_extra == {}


def test_a_killed_batch_comes_back_as_far_as_it_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    rows = make_row("pf.", "a.one", variant="new"), make_row("p..", "a.two")
    store_killed_batch(path, "batch_1", AT, *rows)
    batch = load_batch(path, "batch_1")
    assert isinstance(batch, UnendedBatch)
    assert (batch.facts.batch_id, batch.facts.started_at) == ("batch_1", AT)
    assert {key: [sample.sample for sample in samples] for key, samples in batch.samples.items()} == {
        ("new", "a.one"): [1, 2],
        (None, "a.two"): [1],
    }
    run = load_run(path, "run_1.new.a.one.2")
    assert (run.row, run.variant, run.sample) == (None, "new", batch.samples[("new", "a.one")][1])
    with pytest.raises(BadInputError, match="batch_1 did not end: it still runs, or was killed"):
        load_report(path, "batch_1")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store_batch(path, "batch_1", AT, make_row("p"))
    with pytest.raises(BadInputError, match=r"^Run 'run_9' not found\n"):
        load_run(path, "run_9")
    with pytest.raises(BadInputError, match=r"^Batch 'batch_9' not found\n"):
        load_batch(path, "batch_9")


def test_results_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store_batch(path, "batch_1", AT, make_row("p", "a.one"))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE batches SET doc = json_set(doc, '$.version', 2)")
        database.execute("UPDATE samples SET doc = json_set(doc, '$.status', 'pondered')")
    for load in (lambda: load_batch(path, "batch_1"), lambda: load_run(path, "run_1.a.one.1")):
        with pytest.raises(BadInputError, match="holds results that this agentlab cannot read"):
            load()


def test_a_batch_that_runs_comes_back_as_it_will_be_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    planned = [make_facts("a.one"), make_facts("a.two"), make_facts("a.three", skipped="it cannot run")]
    first, second, _ = make_samples("pfp", scenario_id="a.one")
    with StoreWriter.open(path) as writer:
        writer.start_batch(make_batch(batch_id="batch_1"), planned)
        for sample in (second, first):
            writer.add_sample("batch_1", None, sample)
    batch = load_batch(path, "batch_1")
    assert isinstance(batch, UnendedBatch)
    assert batch.planned == tuple(planned)
    report = batch.report_so_far(duration_ms=5)
    assert [(row.scenario_id, row.verdict.value, row.passed) for row in report.scenarios] == [
        ("a.one", "unfinished", 1),
        ("a.two", "unfinished", 0),
        ("a.three", "skipped", 0),
    ]
    assert load_run(path, "run_1").row == report.scenarios[0]
    with StoreWriter.open(path) as writer:
        ended = make_report(*(judge_scenario(facts, ()) for facts in planned))
        writer.finish_batch(ended.model_copy(update={"batch_id": "batch_1"}))
    assert load_report(path, "batch_1").scenarios[1:] == report.scenarios[1:]
