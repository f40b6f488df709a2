"""Checks of the tool calls of a task, attempts included."""

import json
from typing import Annotated, Any

from pydantic import Field

from agentlab_ci.core.model import Flag, Json, Model, Name, Whole
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import ToolCall
from agentlab_ci.evaluators.interface import EvaluatorKind, Evidence, Finding, Position


class ExpectedCall(Model):
    """`tool` called with an input that contains `match`; `succeeded: true` leaves out calls that failed."""

    tool: Name
    match: Json = Field({})
    succeeded: Flag = False


class ForbiddenTools(Model):
    """`tools` that may not even be attempted."""

    tools: Annotated[tuple[Name, ...], Field(min_length=1)]


class CallLimit(Model):
    """`max`: calls of all tools together."""

    max: Annotated[Whole, Field(ge=0)]


class RepeatLimit(Model):
    """`max`: calls of one tool."""

    tool: Name
    max: Annotated[Whole, Field(ge=0)]


def contains(actual: object, wanted: object) -> bool:
    """Tell whether `actual` holds all of `wanted`: objects by key, lists by item in order, numbers by value."""
    if isinstance(wanted, dict):
        return isinstance(actual, dict) and all(
            key in actual and contains(actual[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(actual, list | tuple)
            and len(actual) == len(wanted)
            and all(contains(a, w) for a, w in zip(actual, wanted, strict=True))
        )
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return actual is wanted
    return bool(actual == wanted)


def _judge_expected(config: ExpectedCall, evidence: Evidence) -> Finding:
    matching = [c for c in evidence.tool_calls if c.name == config.tool and contains(c.input, config.match)]
    counted = [call for call in matching if not _failed(call)] if config.succeeded else matching
    wanted = f"{config.tool} with {json.dumps(config.match, ensure_ascii=False)}" if config.match else config.tool
    if counted:
        return Finding(passed=True, message=f"called {wanted}{_failed_note(counted)}")
    if matching:
        return Finding(passed=False, message=f"{plural(len(matching), 'call')} of {wanted}, and none succeeded")
    return Finding(passed=False, message=f"no call to {wanted}")


def _failed_note(calls: list[ToolCall]) -> str:
    return " (the call failed)" if calls and all(map(_failed, calls)) else ""


def _failed(call: ToolCall) -> bool:
    """Tell whether the tool did not do its work: what a fault gives back, the tool has not said."""
    return call.error is not None or call.fault is not None


def _judge_forbidden(config: ForbiddenTools, evidence: Evidence) -> Finding:
    used = sorted({call.name for call in evidence.tool_calls} & set(config.tools))
    if used:
        return Finding(passed=False, message=f"called {', '.join(used)}")
    return Finding(passed=True, message=f"no call to {', '.join(config.tools)}")


def _judge_count(config: CallLimit, evidence: Evidence) -> Finding:
    count = len(evidence.tool_calls)
    return Finding(passed=count <= config.max, message=f"{plural(count, 'tool call')}, at most {config.max}")


def _judge_repeat(config: RepeatLimit, evidence: Evidence) -> Finding:
    count = sum(call.name == config.tool for call in evidence.tool_calls)
    return Finding(
        passed=count <= config.max, message=f"{plural(count, 'call')} of {config.tool}, at most {config.max}"
    )


_TASK = frozenset({Position.TASK_END})

KINDS: tuple[EvaluatorKind[Any], ...] = (
    EvaluatorKind(
        name="tool_call_assertion",
        positions=_TASK,
        config=ExpectedCall,
        passes_when="a call of `tool` had an input that contains `match`; failed ones count, unless `succeeded`",
        judge=_judge_expected,
    ),
    EvaluatorKind(
        name="forbidden_tool",
        positions=_TASK,
        config=ForbiddenTools,
        passes_when="no call of these tools was attempted; a blocked attempt fails it",
        judge=_judge_forbidden,
    ),
    EvaluatorKind(
        name="tool_call_count_max",
        positions=_TASK,
        config=CallLimit,
        passes_when="there were at most `max` calls, attempts included",
        judge=_judge_count,
    ),
    EvaluatorKind(
        name="tool_repeat_max",
        positions=_TASK,
        config=RepeatLimit,
        passes_when="there were at most `max` calls of `tool`, attempts included",
        judge=_judge_repeat,
    ),
)
