"""Which runs and batches a list holds, in which order."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, SampleCounts, ScenarioCounts
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import BatchEntry, BatchRef, RunEntry, RunRef
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.approvals import approve
from agentlab_ci.store.listing import FIRST_PAGE, Filter, Page, list_batches, list_names, list_runs
from agentlab_ci.store.writer import StoreWriter
from factories import make_batch, make_facts, make_row, make_samples
from stored import store_batch, store_killed_batch

DAY = "2026-04-0{}T00:00:00.000+00:00"
SHOP = AgentIdentity(name="shop", provider=Provider.MOCK, label="Shop")
DESK = AgentIdentity(name="desk", provider=Provider.MOCK, label="Desk")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four batches: 1 passed, 2 failed with two variants, 3 has no end, 4 is unfinished."""
    path = tmp_path / "a.db"
    store_batch(path, "batch_1", DAY.format(1), make_row("pp", "a.one", agent=SHOP), make_row("p", "b.two"))
    store_batch(
        path,
        "batch_2",
        DAY.format(2),
        make_row("pf", "a.one", variant="new", agent=SHOP, suite="shopping"),
        make_row("fe", "a.one", variant="old", agent=DESK, suite="shopping"),
    )
    store_killed_batch(path, "batch_3", DAY.format(3), make_row("p.", "a.one", variant="new"))
    store_batch(path, "batch_4", DAY.format(4), make_row("cs", "a.[x]", agent=DESK))
    return path


def runs(
    path: Path, limit: int = 100, status: SampleStatus | None = None, page: Page = FIRST_PAGE, **asked: Any
) -> list[str]:
    return [entry.run_id for entry in list_runs(path, Filter(**asked), status=status, page=page, limit=limit)]


def batches(
    path: Path, limit: int = 100, verdict: BatchState | None = None, page: Page = FIRST_PAGE, **asked: Any
) -> list[str]:
    return [it.batch_id for it in list_batches(path, Filter(**asked), verdict=verdict, page=page, limit=limit)]


def test_runs_are_listed_newest_first_and_only_those_that_ran(path: Path) -> None:
    everything = ["run_4.a.[x].1", "run_3.new.a.one.1", "run_2.old.a.one.2", "run_2.old.a.one.1"]
    everything += ["run_2.new.a.one.2", "run_2.new.a.one.1", "run_1.b.two.1", "run_1.a.one.2", "run_1.a.one.1"]
    assert runs(path) == everything
    assert runs(path, limit=2) == everything[:2]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"scenario": "b.two"}, ["run_1.b.two.1"]),
        ({"scenario": "b.*"}, ["run_1.b.two.1"]),
        ({"scenario": "a"}, []),
        ({"suite": "shopping", "variant": "old"}, ["run_2.old.a.one.2", "run_2.old.a.one.1"]),
        ({"agent": "desk"}, ["run_4.a.[x].1", "run_2.old.a.one.2", "run_2.old.a.one.1"]),
        ({"agent": "Desk"}, []),  # its label
        ({"variant": "new", "status": SampleStatus.PASSED}, ["run_3.new.a.one.1", "run_2.new.a.one.1"]),
        ({"status": SampleStatus.ERROR}, ["run_2.old.a.one.2"]),
        ({"since": datetime(2026, 4, 3, tzinfo=UTC)}, ["run_4.a.[x].1", "run_3.new.a.one.1"]),
        ({"scenario": "' OR 1 --"}, []),
        ({"suite": "\ud800"}, []),
    ],
)
def test_runs_are_filtered(path: Path, asked: dict[str, Any], found: list[str]) -> None:
    assert runs(path, **asked) == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["batch_4", "batch_3", "batch_2", "batch_1"]),
        ({"limit": 1}, ["batch_4"]),
        ({"scenario": "a.one"}, ["batch_3", "batch_2", "batch_1"]),
        ({"scenario": "a.?ne", "variant": "new"}, ["batch_3", "batch_2"]),
        ({"suite": "shopping"}, ["batch_2"]),
        ({"agent": "shop"}, ["batch_2", "batch_1"]),
        ({"agent": "shop", "variant": "old"}, []),  # of one and the same scenario
        ({"verdict": BatchState.PASSED}, ["batch_1"]),
        ({"verdict": BatchState.FAILED}, ["batch_2"]),
        ({"verdict": BatchState.UNFINISHED}, ["batch_4"]),
        ({"verdict": BatchState.NO_END}, ["batch_3"]),
        ({"since": datetime(2026, 4, 2, tzinfo=UTC)}, ["batch_4", "batch_3", "batch_2"]),
        ({"since": datetime(2026, 4, 2, 0, 0, 1, tzinfo=UTC)}, ["batch_4", "batch_3"]),
    ],
)
def test_batches_are_filtered(path: Path, asked: dict[str, Any], found: list[str]) -> None:
    assert batches(path, **asked) == found


def test_what_is_known_of_a_run(path: Path) -> None:
    approve(path, RunRef(run_id="run_2.old.a.one.2", batch_id="batch_2", scenario_id="a.one"), at="now")
    first, second = list_runs(path, Filter(variant="old"), limit=9)
    assert first == RunEntry(
        run_id="run_2.old.a.one.2",
        batch_id="batch_2",
        scenario_id="a.one",
        variant="old",
        suite="shopping",
        agent="desk",
        sample=2,
        of=2,
        status=SampleStatus.ERROR,
        termination_reason="http_error",
        score=None,
        started_at=DAY.format(2),
        duration_ms=0,
        cost_usd=None,
        approved=True,
    )
    assert not second.approved
    [unended] = list_runs(path, Filter(since=datetime(2026, 4, 3, tzinfo=UTC), scenario="a.one"), limit=9)
    assert (unended.suite, unended.agent, unended.of) == (None, None, 2)


def test_what_is_known_of_a_batch(path: Path) -> None:
    approve(path, BatchRef(batch_id="batch_2"), at="now")
    [batch] = list_batches(path, Filter(suite="shopping"), limit=9)
    assert batch == BatchEntry(
        batch_id="batch_2",
        started_at=DAY.format(2),
        ended_at="2026-04-07T00:13:11Z",
        verdict=BatchState.FAILED,
        exit_code=1,
        scenarios=ScenarioCounts(total=2, passed=0, failed=2, unfinished=0, skipped=0),
        samples=SampleCounts(passed=1, failed=2, error=1, cancelled=0),
        suites=("shopping",),
        agents=("shop", "desk"),
        variants=("new", "old"),
        cost_usd=None,
        duration_ms=41_200,
        approved=True,
    )


def test_a_batch_without_end_counts_what_is_stored(path: Path) -> None:
    [batch] = list_batches(path, Filter(), verdict=BatchState.NO_END, limit=9)
    assert (batch.ended_at, batch.exit_code, batch.scenarios, batch.suites, batch.duration_ms) == (
        None,
        None,
        None,
        (),
        None,
    )
    assert batch.samples == SampleCounts(passed=1, failed=0, error=0, cancelled=0)


def test_texts_that_only_json_can_hold_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    [sample] = make_samples("p", scenario_id="a.one")
    odd = {"final_output": "\ud800", "tool_calls": ()}
    row = make_row("p", "a.one", suite="\udfff", agent=SHOP).model_copy(
        update={"samples": (sample.model_copy(update=odd),)}
    )
    store_batch(path, "batch_1", DAY.format(1), row)
    [run] = list_runs(path, Filter(agent="shop"), limit=9)
    assert run.suite == "\\udfff"
    assert runs(path, suite="\udfff") == ["run_1.a.one.1"]


def test_without_a_database_that_is_said(tmp_path: Path) -> None:
    for call in (list_runs, list_batches):
        with pytest.raises(BadInputError, match="there is no database"):
            call(tmp_path / "a.db", Filter(), limit=1)


@pytest.mark.parametrize("listed", [runs, batches])
def test_pages_follow_each_other_in_both_directions(path: Path, listed: Callable[..., list[str]]) -> None:
    everything = listed(path)
    middle = everything[2]
    assert listed(path, page=Page(before=middle)) == everything[3:]
    assert listed(path, page=Page(before=middle), limit=1) == everything[3:4]
    assert listed(path, page=Page(after=middle)) == everything[:2]
    assert listed(path, page=Page(after=middle), limit=1) == everything[1:2], "the nearest, not the newest"
    assert listed(path, page=Page(before=everything[-1])) == listed(path, page=Page(after=everything[0])) == []
    assert listed(path, page=Page(before="unknown")) == []


def test_runs_of_one_batch_are_listed(path: Path) -> None:
    found = list_runs(path, Filter(variant="old"), batch_id="batch_2", limit=9)
    assert [entry.run_id for entry in found] == ["run_2.old.a.one.2", "run_2.old.a.one.1"]
    assert list_runs(path, Filter(), batch_id="batch_9", limit=9) == ()


def test_what_can_be_filtered_by_is_named(path: Path) -> None:
    names = list_names(path)
    assert (names.suites, names.agents, names.variants) == (
        ("billing", "shopping"),
        ("desk", "shop"),
        ("new", "old"),
    )


def test_a_running_batch_is_found_by_what_it_will_run(path: Path) -> None:
    with StoreWriter.open(path) as writer:
        facts = make_batch(batch_id="batch_5", started_at=DAY.format(5))
        writer.start_batch(facts, [make_facts("c.new", suite="late", agent=DESK)])
    assert batches(path, suite="late") == batches(path, scenario="c.*") == ["batch_5"]
    [entry] = list_batches(path, Filter(), limit=1)
    assert (entry.suites, entry.agents, entry.verdict) == (("late",), ("desk",), BatchState.NO_END)
