"""Every evaluator: rows that pass, fail, and stand at the edge."""

from typing import Any

import pytest
from pydantic import ValidationError

from agentlab_ci.evaluators.interface import Evidence, NotJudgedError, Position
from agentlab_ci.evaluators.registry import EVALUATORS
from evaluator_rows import ROWS, said


@pytest.mark.parametrize(("kind", "config", "evidence", "passes"), ROWS)
def test_what_passes(kind: str, config: dict[str, Any], evidence: Evidence, passes: bool) -> None:
    row = EVALUATORS[kind]
    finding = row.judge(row.config.model_validate(config), evidence)
    assert finding.passed is passes
    assert finding.message


def test_every_evaluator_has_rows_that_pass_and_rows_that_fail() -> None:
    for outcome in (True, False):
        assert {kind for kind, _, _, passes in ROWS if passes is outcome} == set(EVALUATORS)


@pytest.mark.parametrize(
    ("kind", "config", "complaint"),
    [
        ("response_contains", {"text": "x"}, r"`text` is not a key: write `keywords: \[...\]`"),
        ("response_contains", {"keywords": []}, "at least 1"),
        ("response_contains", {"keywords": [""]}, "at least 1"),
        ("response_contains", {"keyword": ["x"]}, "keyword"),
        ("response_matches_regex", {"pattern": "("}, "not a regular expression: "),
        ("response_latency_max", {"ms": 0}, "greater than 0"),
        ("final_answer_contains", {}, "needs `required_substrings`"),
        ("final_answer_contains", {"keywords": ["a"], "required_substrings": ["b"]}, "only one of them"),
        ("step_count_max", {"max": 1, "max_steps": 1}, "only one of them"),
        ("step_count_max", {"max": "3"}, "valid integer"),
        ("step_count_max", {"max": True}, "valid integer"),
    ],
)
def test_a_config_that_cannot_be_meant_is_refused(kind: str, config: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        EVALUATORS[kind].config.model_validate(config)


def test_a_pattern_that_backtracks_without_end_is_not_judged() -> None:
    row = EVALUATORS["response_matches_regex"]
    with pytest.raises(NotJudgedError, match="did not end within"):
        row.judge(row.config.model_validate({"pattern": r"(a|a)*\d\b\w*(x+x+)+y"}), said("a" * 60 + "x" * 60))


def test_where_each_may_stand() -> None:
    at_step = {kind.name for kind in EVALUATORS.values() if Position.STEP in kind.positions}
    assert at_step == {
        "response_contains",
        "response_not_contains",
        "response_matches_regex",
        "response_latency_max",
    }
    several = {name for name, kind in EVALUATORS.items() if len(kind.positions) > 1}
    assert several == {"response_latency_max"}  # a simulation has no steps where it could stand
    assert Position.SIMULATION_END in EVALUATORS["response_latency_max"].positions


def test_a_limit_on_the_latency_of_many_replies_names_the_slowest() -> None:
    row = EVALUATORS["response_latency_max"]
    whole = Evidence(output="", latency_ms=250.4, turns=3)
    assert row.judge(row.config.model_validate({"ms": 100}), whole).message == (
        "slowest reply took 250 ms, at most 100 ms"
    )
