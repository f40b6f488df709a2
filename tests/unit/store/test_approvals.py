"""What is approved, and where an approval leads."""

from pathlib import Path

import pytest

from agentlab_ci.core.stored import Approval, BatchRef, Reference, RunRef
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.approvals import approve, list_approvals
from factories import make_row
from stored import store_batch

AT = "2026-04-07T00:00:01.000+00:00"
FIRST, SECOND = BatchRef(batch_id="batch_1"), BatchRef(batch_id="batch_2")
ONE_SCENARIO = BatchRef(batch_id="batch_1", scenario_id="a.one")
RUN = RunRef(run_id="run_1.a.two.1", batch_id="batch_1", scenario_id="a.two")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    store_batch(path, "batch_1", AT, make_row("p", "a.one"), make_row("p", "a.two"))
    store_batch(path, "batch_2", AT, make_row("p", "a.two"))
    return path


def references(approvals: tuple[Approval, ...]) -> list[Reference]:
    return [approval.reference for approval in approvals]


def test_approvals_come_back_newest_first_and_once(path: Path) -> None:
    approve(path, FIRST, at="2026-04-08")
    approve(path, RUN, at="2026-04-09")
    approve(path, SECOND, at="2026-04-10")
    assert references(list_approvals(path)) == [SECOND, RUN, FIRST]
    approve(path, FIRST, at="2026-04-11")
    approvals = list_approvals(path)
    assert references(approvals) == [FIRST, SECOND, RUN]
    assert approvals[0].approved_at == "2026-04-11"


def test_approvals_of_one_moment_are_told_apart(path: Path) -> None:
    for reference in (SECOND, FIRST):
        approve(path, reference, at="2026-04-08")
    assert references(list_approvals(path)) == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("scenario", "found"),
    [("a.one", [ONE_SCENARIO, FIRST]), ("a.two", [SECOND, RUN, FIRST]), ("a.three", [])],
)
def test_approvals_are_found_by_what_they_hold(path: Path, scenario: str, found: list[Reference]) -> None:
    approve(path, FIRST, at="2026-04-08")
    approve(path, RUN, at="2026-04-09")
    approve(path, ONE_SCENARIO, at="2026-04-10")
    approve(path, SECOND, at="2026-04-11")
    assert references(list_approvals(path, scenario_id=scenario)) == found


def test_approvals_are_found_by_their_batch(path: Path) -> None:
    approve(path, RUN, at="2026-04-09")
    approve(path, SECOND, at="2026-04-11")
    assert references(list_approvals(path, batch_id="batch_1")) == [RUN]


def test_what_was_pruned_meanwhile_is_not_approved(path: Path) -> None:
    with pytest.raises(BadInputError, match="Batch 'batch_9' not found"):
        approve(path, BatchRef(batch_id="batch_9"), at=AT)
    with pytest.raises(BadInputError, match="Run 'run_9' not found"):
        approve(path, RunRef(run_id="run_9", batch_id="batch_9", scenario_id="a.one"), at=AT)
    assert list_approvals(path) == ()
