"""Batches of the real engine compared with each other: the same agent never regresses, a worse one is found."""

from itertools import pairwise
from random import Random

import pytest

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison, compare_batches
from agentlab_ci.core.compare_runs import Change
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.scenario import Scenario
from factories import make_report
from scripted_agent import BAD, GOOD, Act, Performance, Script, Stage, make_scenario, plan_of
from virtual_time import run_virtually

SUITE = (make_scenario("a.one", steps=2), make_scenario("a.two"), make_scenario("a.flaky"), make_scenario("a.low"))
RUNS = 50


def _run(script: Script, *scenarios: Scenario) -> RunReport:
    performance = Performance(plan_of(*(scenarios or SUITE), samples=3), Stage(script))
    rows, _ = run_virtually(performance.run())
    return make_report(*rows)


def _steady(random: Random) -> Script:
    """Answer each sample always the same, and now faster, now slower."""

    def script(scenario_id: str, sample: int, _time: int) -> Act:
        bad = {"a.flaky": sample == 2, "a.low": sample != 2}.get(scenario_id, False)
        return Act(text="bad" if bad else "good", seconds=random.uniform(0.001, 0.005))

    return script


def _row(comparison: BatchComparison, scenario_id: str) -> RowComparison:
    return next(row for row in comparison.rows if row.key == (None, scenario_id))


def test_a_deterministic_agent_never_regresses_against_itself() -> None:
    random = Random(50)  # noqa: S311 - latencies, no secrets
    reports = [_run(_steady(random)) for _ in range(RUNS + 1)]
    assert len({row.samples[0].duration_ms for report in reports for row in report.scenarios}) > RUNS
    for old, new in pairwise(reports):
        comparison = compare_batches(old, new)
        assert [row.change for row in comparison.rows] == [
            Change.UNCHANGED_PASS,
            Change.UNCHANGED_PASS,
            Change.UNCHANGED_PASS,
            Change.UNCHANGED_FAIL,
        ]
        assert not comparison.has_regressed
        assert [(row.example, row.runtime, row.steps) for row in comparison.rows] == [(None, None, None)] * 4


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missed", [(1, 2), (2, 3), (1, 2, 3)])
def test_a_planted_regression_is_always_found(missed: tuple[int, ...], seed: int) -> None:
    steady = _steady(Random(seed))  # noqa: S311 - as above

    def worse(scenario_id: str, sample: int, time: int) -> Act:
        return BAD if scenario_id == "a.two" and sample in missed else steady(scenario_id, sample, time)

    comparison = compare_batches(_run(steady), _run(worse))
    assert [row.key[1] for row in comparison.regressed] == ["a.two"]
    row = _row(comparison, "a.two")
    assert [(gate.id, gate.step, gate.missed) for gate in row.lost_gates] == [("good", 1, len(missed))]
    assert row.example is not None
    assert row.example.behaviour.turns == (" user: step 1", "-agent: good", "+agent: bad")


def test_another_turn_is_found_where_every_sample_still_passes() -> None:
    def wordy(scenario_id: str, sample: int, time: int) -> Act:
        return Act(text="as good as gold") if scenario_id == "a.one" and time == 2 else GOOD

    comparison = compare_batches(_run(lambda *_: GOOD), _run(wordy))
    assert not comparison.regressed
    assert [row.key[1] for row in comparison.rows if row.example] == ["a.one"]
    example = _row(comparison, "a.one").example
    assert example is not None
    assert example.behaviour.turns == (" user: step 2", "-agent: good", "+agent: as good as gold")


def test_a_scenario_that_asks_something_else_is_not_compared() -> None:
    comparison = compare_batches(
        _run(lambda *_: GOOD, make_scenario("a.one", steps=1)),
        _run(lambda *_: BAD, make_scenario("a.one", steps=2)),
    )
    assert [row.change for row in comparison.rows] == [Change.NOT_COMPARABLE]


def test_names_tags_and_place_are_no_other_scenario() -> None:
    renamed = make_scenario(
        "a.one", name="Another name", tags=("new",), description="More", suite="b", difficulty="hard"
    )
    comparison = compare_batches(_run(lambda *_: GOOD, make_scenario("a.one")), _run(lambda *_: BAD, renamed))
    assert [row.change for row in comparison.rows] == [Change.REGRESSED]
