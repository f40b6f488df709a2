import pytest

from agentlab_ci.core.drift import Drift, count_steps, find_runtime_drift, find_steps_drift
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.trace import Role, ToolCall, Turn
from factories import make_facts, make_samples


def _took(*milliseconds: float) -> list[SampleResult]:
    samples = make_samples("p" * len(milliseconds))
    return [s.model_copy(update={"duration_ms": ms}) for s, ms in zip(samples, milliseconds, strict=True)]


def _spoke(*turns: int) -> list[SampleResult]:
    said = Turn(role=Role.AGENT, text="x")
    samples = make_samples("p" * len(turns))
    return [s.model_copy(update={"turns": (said,) * count}) for s, count in zip(samples, turns, strict=True)]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (1000, 1300, True),
        (1000, 700, True),  # faster is a change as well
        (1000, 1250, False),  # 25 % is not beyond 25 %
        (100, 200, False),  # 100 ms is not beyond 100 ms
        (100, 201, True),
        (10_000, 12_000, False),  # two seconds, and only 20 %
        (10, 90, False),  # nine times as long, and only 80 ms
        (0, 101, True),
    ],
)
def test_runtime_counts_beyond_both_floors(old: float, new: float, shown: bool) -> None:
    drift = find_runtime_drift(_took(old), _took(new))
    assert drift == (Drift(old=old, new=new) if shown else None)


@pytest.mark.parametrize(("old", "new", "shown"), [(3, 5, False), (3, 6, True), (6, 3, True), (3, 3, False)])
def test_steps_count_beyond_two(old: int, new: int, shown: bool) -> None:
    drift = find_steps_drift(make_facts(), _spoke(old), _spoke(new))
    assert drift == (Drift(old=old, new=new) if shown else None)


def test_one_slow_sample_moves_no_median() -> None:
    assert find_runtime_drift(_took(100, 110, 120), _took(100, 110, 9000)) is None
    assert find_steps_drift(make_facts(), _spoke(1, 1, 1), _spoke(1, 1, 9)) is None


def test_without_samples_on_a_side_there_is_nothing_to_compare() -> None:
    assert find_runtime_drift([], _took(9000)) is None
    assert find_runtime_drift(_took(9000), []) is None


def test_steps_of_a_task_are_its_calls_and_the_answer() -> None:
    [sample] = _spoke(2)
    sample = sample.model_copy(update={"tool_calls": (ToolCall(name="x", input={}),) * 3, "final_output": "Done."})
    assert count_steps(make_facts(type=ScenarioType.TASK), sample) == 4
    assert count_steps(make_facts(type=ScenarioType.TASK), sample.model_copy(update={"final_output": None})) == 3
    assert count_steps(make_facts(), sample) == 2
