from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.config import RuntimeProfile
from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.faults import ToolFaults, find_fault, suffer
from agentlab_ci.tools.interface import ToolContext
from virtual_time import run_virtually

CONTEXT = ToolContext(scenario_id="a.one", sample=1)


def profile(*faults: dict[str, Any], seed: int = 0) -> RuntimeProfile:
    return RuntimeProfile.model_validate(
        {"name": "p", "seed": seed, "tool_faults": [{"tool": "echo"} | fault for fault in faults]}
    )


def struck(it: RuntimeProfile | None, *calls: str, context: ToolContext = CONTEXT) -> list[str | None]:
    """The mode of the fault that each call suffers."""
    faults = ToolFaults(it, context)
    found = [faults.strike(tool) for tool in calls]
    return [fault.mode if fault else None for fault in found]


@pytest.mark.parametrize(
    ("faults", "modes"),
    [
        ([], [None, None, None]),
        ([{"mode": "error"}], ["error", "error", "error"]),
        ([{"mode": "error", "on_call": 2}], [None, "error", None]),
        ([{"mode": "error", "probability": 0}], [None, None, None]),
        ([{"mode": "error", "tool": "other"}], [None, None, None]),
        # the first that applies wins, and one that does not apply lets the next one try
        ([{"mode": "error"}, {"mode": "timeout"}], ["error", "error", "error"]),
        ([{"mode": "error", "on_call": 3}, {"mode": "timeout"}], ["timeout", "timeout", "error"]),
        ([{"mode": "error", "probability": 0}, {"mode": "timeout"}], ["timeout", "timeout", "timeout"]),
    ],
)
def test_which_calls_suffer(faults: list[dict[str, Any]], modes: list[str | None]) -> None:
    assert struck(profile(*faults), "echo", "echo", "echo") == modes


def test_each_tool_counts_its_own_calls() -> None:
    second = profile({"mode": "error", "on_call": 2})
    assert struck(second, "echo", "other", "other", "echo", "other") == [None, None, None, "error", None]


def test_without_a_profile_nothing_goes_wrong() -> None:
    assert struck(None, "echo", "echo") == [None, None]


def outcome(**fault: Any) -> tuple[CallOutcome, float]:
    return run_virtually(suffer(profile(fault).tool_faults[0]))


@pytest.mark.parametrize(
    ("fault", "output", "error", "seconds"),
    [
        ({"mode": "timeout"}, None, "no result within 5000 ms", 5),
        ({"mode": "timeout", "timeout_ms": 1500}, None, "no result within 1500 ms", 1.5),
        ({"mode": "timeout", "error_message": "gateway timeout"}, None, "gateway timeout", 5),
        ({"mode": "error"}, None, "internal error", 0),
        ({"mode": "error", "error_message": "out of stock"}, None, "out of stock", 0),
        ({"mode": "malformed_output"}, "MALFORMED_OUTPUT", None, 0),
        ({"mode": "partial_output", "partial_output": {"id": ["o1"]}}, {"id": ["o1"]}, None, 0),
    ],
)
def test_what_the_agent_is_told(fault: dict[str, Any], output: Any, error: str | None, seconds: float) -> None:
    told, took = outcome(**fault)
    assert (told.name, told.output, told.error, told.fault) == ("echo", output, error, fault["mode"])
    assert took == seconds
    assert told.duration_ms == seconds * 1000


def test_a_partial_output_is_not_shared_between_calls() -> None:
    partial = profile({"mode": "partial_output", "partial_output": {"id": ["o1"]}}).tool_faults[0]
    first, _ = run_virtually(suffer(partial))
    first.output["id"].append("o2")
    assert run_virtually(suffer(partial))[0].output == {"id": ["o1"]}


Call = tuple[str, int, str]
"""Scenario, sample, tool."""
CALLS: list[Call] = [
    (scenario, sample, tool)
    for scenario in ("a.one", "a.two")
    for sample in (1, 2, 3)
    for tool in ("echo", "list")
] * 4
OFTEN = [
    {"mode": "error", "probability": 0.3},
    {"mode": "timeout", "probability": 0.4},
    {"mode": "error", "tool": "list", "probability": 0.5},
]


def faults_by_call(calls: list[Call], seed: int) -> dict[tuple[Call, int], str | None]:
    """Make the calls in this order; what the n-th call of each tool of each sample suffered."""
    samples: dict[tuple[str, int], ToolFaults] = {}
    made: dict[tuple[Call, int], str | None] = {}
    for scenario, sample, tool in calls:
        context = ToolContext(scenario_id=scenario, sample=sample)
        faults = samples.setdefault((scenario, sample), ToolFaults(profile(*OFTEN, seed=seed), context))
        fault = faults.strike(tool)
        number = sum(call == (scenario, sample, tool) for call, _ in made) + 1
        made[(scenario, sample, tool), number] = fault.mode if fault else None
    return made


@settings(derandomize=True, deadline=None)
@given(random=st.randoms(use_true_random=False), seed=st.integers(-5, 5))
def test_the_same_seed_gives_the_same_faults_in_any_order(random: Random, seed: int) -> None:
    shuffled = random.sample(CALLS, len(CALLS))
    assert faults_by_call(shuffled, seed) == faults_by_call(CALLS, seed)


def test_a_draw_hangs_on_seed_scenario_sample_fault_and_call() -> None:
    def drawn(seed: int = 0, scenario: str = "a.one", sample: int = 1, faults: int = 1) -> list[bool]:
        context = ToolContext(scenario_id=scenario, sample=sample)
        # the same fault at another place of the list, where only the place differs
        never = [{"mode": "timeout", "probability": 0}] * (faults - 1)
        it = profile(*never, {"mode": "error", "probability": 0.5}, seed=seed)
        return [find_fault(it, context, "echo", call) is not None for call in range(1, 21)]

    draws = [drawn(), drawn(seed=1), drawn(scenario="a.two"), drawn(sample=2), drawn(faults=2)]
    assert all(True in draw and False in draw for draw in draws)
    assert len({tuple(draw) for draw in draws}) == len(draws)
    assert drawn() == drawn()
