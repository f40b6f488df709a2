"""What became of a scenario from batch to batch."""

from pathlib import Path

import pytest

from agentlab_ci.core.verdict import Verdict
from agentlab_ci.store.references import NotStoredError
from agentlab_ci.store.scenario_history import list_scenarios, load_history
from agentlab_ci.store.state import fingerprint
from factories import make_row
from stored import store_batch, store_killed_batch

DAY = "2026-04-0{}T00:00:00.000+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three batches that ended, and one that did not."""
    path = tmp_path / "a.db"
    old, new = (make_row(word, "a.one", variant=label) for word, label in (("pp", "old"), ("pf", "new")))
    store_batch(path, "batch_2", DAY.format(2), old, new, make_row("p", "b.two"))
    store_batch(path, "batch_1", DAY.format(1), make_row("ff", "a.one", variant="old"))
    store_batch(path, "batch_3", DAY.format(3), make_row("fp", "a.one", variant="old", suite="moved"))
    store_killed_batch(path, "batch_4", DAY.format(4), make_row("f", "c.three"))
    return path


def test_a_scenario_is_told_by_the_start_of_its_batches(path: Path) -> None:
    history = load_history(path, "a.one", limit=9)
    assert [(it.batch_id, it.row.key[0], it.row.passed, len(it.row.samples)) for it in history] == [
        ("batch_3", "old", 1, 2),
        ("batch_2", "old", 2, 2),
        ("batch_2", "new", 1, 2),
        ("batch_1", "old", 0, 2),
    ]
    assert load_history(path, "a.one", limit=1) == history[:1]


def test_one_that_no_batch_ended_with_has_no_history_yet_and_an_unknown_one_is_refused(path: Path) -> None:
    assert load_history(path, "c.three", limit=9) == ()
    with pytest.raises(NotStoredError, match=r"Scenario 'a\.\*' not found"):
        load_history(path, "a.*", limit=9)


def test_scenarios_are_listed_as_they_stood_last(path: Path) -> None:
    found = [
        (it.suite, it.scenario_id, it.variant, it.batch_id, it.verdict, it.batches)
        for it in list_scenarios(path, limit=9)
    ]
    assert found == [
        ("billing", "a.one", "new", "batch_2", Verdict.FAILED, 1),
        ("billing", "b.two", None, "batch_2", Verdict.PASSED, 1),
        ("moved", "a.one", "old", "batch_3", Verdict.FAILED, 3),
    ]
    assert [it.scenario_id for it in list_scenarios(path, scenario="b.*", limit=9)] == ["b.two"]
    assert [it.batches for it in list_scenarios(path, suite="moved", limit=9)] == [1]
    assert len(list_scenarios(path, limit=2)) == 2


def test_a_write_changes_the_fingerprint_and_a_look_does_not(path: Path) -> None:
    assert fingerprint(path.with_name("missing.db")) == (None, None)
    list_scenarios(path, limit=9)
    before = fingerprint(path)
    list_scenarios(path, limit=9)
    assert fingerprint(path) == before
    store_batch(path, "batch_5", DAY.format(5), make_row("p", "a.one"))
    assert fingerprint(path) != before
