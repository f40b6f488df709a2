"""Rows for every evaluator: its config, what is judged, and whether that passes."""

from typing import Any

from agentlab_ci.core.trace import ToolCall
from agentlab_ci.evaluators.interface import Evidence


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
    (
        "tool_call_assertion",
        {"tool": "refund", "succeeded": True},
        called(ToolCall(name="refund", input={}, output={}, fault="partial_output")),
        False,
    ),
    ("tool_call_assertion", {"tool": "refund"}, called(), False),
    ("forbidden_tool", {"tools": ["refund_all"]}, called(call("refund")), True),
    ("forbidden_tool", {"tools": ["refund_all"]}, called(call("refund_all", error="blocked")), False),
    ("tool_call_count_max", {"max": 1}, called(call("a")), True),
    ("tool_call_count_max", {"max": 1}, called(call("a"), call("b", error="blocked")), False),
    ("tool_repeat_max", {"tool": "a", "max": 1}, called(call("a"), call("b"), call("b")), True),
    ("tool_repeat_max", {"tool": "a", "max": 1}, called(call("a"), call("a")), False),
]
