"""What `@last`, `@prev` and ids lead to."""

from pathlib import Path

import pytest

from agentlab_ci.core.stored import BatchRef, RunRef
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.references import find_reference
from factories import make_row
from stored import store_batch, store_killed_batch

SECOND = "2026-04-07T00:00:0{}+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    store_batch(path, "batch_2", SECOND.format(2), make_row("pp", "a.one"), make_row("p", "a.two"))
    store_batch(path, "batch_3", SECOND.format(3), make_row("p", "a.two"))
    store_batch(path, "batch_1", SECOND.format(1), make_row("f", "a.one"))  # stored last, began first
    store_killed_batch(path, "batch_4", SECOND.format(4), make_row("p.", "a.three"))
    return path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@last", BatchRef(batch_id="batch_4")),  # ended or not
        ("@prev", BatchRef(batch_id="batch_3")),
        ("@last:a.one", BatchRef(batch_id="batch_2", scenario_id="a.one")),
        ("@prev:a.one", BatchRef(batch_id="batch_1", scenario_id="a.one")),
        ("@last:a.two", BatchRef(batch_id="batch_3", scenario_id="a.two")),
        ("@last:a.three", BatchRef(batch_id="batch_4", scenario_id="a.three")),
        ("batch_1", BatchRef(batch_id="batch_1")),
        ("run_4.a.three.1", RunRef(run_id="run_4.a.three.1", batch_id="batch_4", scenario_id="a.three")),
    ],
)
def test_what_is_meant_is_found(path: Path, text: str, found: BatchRef | RunRef) -> None:
    assert find_reference(path, text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run_9", "Run 'run_9' not found\n"),
        ("nonsense", "Run 'nonsense' not found\n"),
        ("batch_9", "Batch 'batch_9' not found\n"),
        ("@prev:a.three", "does not hold two batches with samples of a.three"),
        ("@last:a.on", "does not hold a batch with samples of a.on"),
        ("@last:", "@last: means nothing: give @last or @prev"),
        ("@first", "@first means nothing"),
        ("@last.a.one", "means nothing"),
    ],
)
def test_what_is_not_there_is_named(path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        find_reference(path, text)
    assert said in str(refused.value)


def test_a_skipped_scenario_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store_batch(path, "batch_1", SECOND.format(1), make_row("", "a.one", skipped="cannot run on http"))
    assert find_reference(path, "@last") == BatchRef(batch_id="batch_1")
    with pytest.raises(BadInputError, match=r"a batch with samples of a\.one"):
        find_reference(path, "@last:a.one")


def test_batches_of_one_moment_are_told_apart(tmp_path: Path) -> None:
    for number in (1, 2):
        store_batch(tmp_path / "a.db", f"batch_{number}", SECOND.format(1), make_row("p"))
    assert find_reference(tmp_path / "a.db", "@last") == BatchRef(batch_id="batch_2")
    assert find_reference(tmp_path / "a.db", "@prev") == BatchRef(batch_id="batch_1")


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no database"):
        find_reference(tmp_path / "none" / "a.db", "@last")
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_are_only_names(path: Path) -> None:
    for text in ("@last:a' OR '1'='1", "batch_'; DROP TABLE batches; --", "run_\ud800", "@last:%"):
        with pytest.raises(BadInputError):
            find_reference(path, text)
    assert find_reference(path, "batch_1")
