"""Every evaluator: rows that pass, fail, and stand at the edge."""

from typing import Any

import pytest
from pydantic import ValidationError

from agentlab_ci.core.trace import ToolCall
from agentlab_ci.evaluators.interface import Evidence, NotJudgedError, Position
from agentlab_ci.evaluators.registry import EVALUATORS


def call(name: str, error: str | None = None, **given: Any) -> ToolCall:
    return ToolCall(name=name, input=given, error=error)


def said(text: str) -> Evidence:
    return Evidence(output=text)


def took(ms: float) -> Evidence:
    return Evidence(output="", latency_ms=ms)


def called(*calls: ToolCall) -> Evidence:
    return Evidence(output="", tool_calls=calls)


ROWS: list[tuple[str, dict[str, Any], Evidence, bool]] = [
    ("response_contains", {"keywords": ["aisle"]}, said("An AISLE seat."), True),
    ("response_contains", {"keywords": ["aisle", "window"]}, said("An aisle seat."), False),  # all of them
    ("response_contains", {"keywords": ["straße"]}, said("HAUPTSTRASSE"), True),  # case folding, not lower()
    ("response_contains", {"keywords": ["a"]}, said(""), False),  # an empty reply is an answer
    ("response_not_contains", {"keywords": ["sorry"]}, said("Done."), True),
    ("response_not_contains", {"keywords": ["cannot", "sorry"]}, said("Sorry!"), False),  # none of them
    ("response_matches_regex", {"pattern": r"order \d+"}, said("Your ORDER 12 has shipped"), True),
    ("response_matches_regex", {"pattern": r"^order \d+$"}, said("Your order 12"), False),
    ("response_latency_max", {"ms": 100}, took(100.0), True),  # the limit itself is within it
    ("response_latency_max", {"ms": 100}, took(100.1), False),
    ("final_answer_contains", {"required_substrings": ["Refunded", "ord_1"]}, said("refunded ORD_1"), True),
    ("final_answer_contains", {"keywords": ["two  words"]}, said("two\n\twords"), True),  # white space collapsed
    ("final_answer_contains", {"keywords": ["words two"]}, said("two words"), False),
    ("exact_final_answer", {"expected": " 42\n"}, said("42"), True),  # both trimmed
    ("exact_final_answer", {"expected": "Yes"}, said("yes"), False),  # but case counts
    ("step_count_max", {"max": 2}, Evidence(output="", turns=2), True),
    ("step_count_max", {"max_steps": 2}, Evidence(output="", turns=3), False),  # the other name
    ("cost_max", {"max_usd": 0.01}, Evidence(output="", cost_usd=0.01), True),
    ("cost_max", {"max_usd": 0.01}, Evidence(output="", cost_usd=0.0101), False),
    ("cost_max", {"max_usd": 100}, Evidence(output=""), False),  # unknown is not free
    ("tool_call_assertion", {"tool": "refund", "match": {"id": 1}}, called(call("refund", id=1.0, x=2)), True),
    ("tool_call_assertion", {"tool": "refund", "match": {"id": 1}}, called(call("refund", id="1")), False),
    (
        "tool_call_assertion",
        {"tool": "refund", "match": {"a": {"b": 1}}},
        called(call("refund", a={"b": 1, "c": 2})),
        True,
    ),
    ("tool_call_assertion", {"tool": "refund", "match": {"ok": True}}, called(call("refund", ok=1)), False),
    ("tool_call_assertion", {"tool": "refund", "match": {"ids": []}}, called(call("refund", ids=[1])), False),
    (
        "tool_call_assertion",
        {"tool": "refund", "match": {"ids": [1, 2]}},
        called(call("refund", ids=[1.0, 2])),
        True,
    ),
    ("tool_call_assertion", {"tool": "refund"}, called(call("refund", error="no such order")), True),
    ("tool_call_assertion", {"tool": "refund", "succeeded": True}, called(call("refund", error="no")), False),
    ("tool_call_assertion", {"tool": "refund"}, called(), False),
    ("forbidden_tool", {"tools": ["refund_all"]}, called(call("refund")), True),
    ("forbidden_tool", {"tools": ["refund_all"]}, called(call("refund_all", error="blocked")), False),
    ("tool_call_count_max", {"max": 1}, called(call("a")), True),
    ("tool_call_count_max", {"max": 1}, called(call("a"), call("b", error="blocked")), False),
    ("tool_repeat_max", {"tool": "a", "max": 1}, called(call("a"), call("b"), call("b")), True),
    ("tool_repeat_max", {"tool": "a", "max": 1}, called(call("a"), call("a")), False),
]


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
    assert all(len(kind.positions) == 1 for kind in EVALUATORS.values())
