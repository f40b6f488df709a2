"""A sample's evidence, piece by piece, in order: what was said and called, or came instead of an answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import EventKind, ToolCall, TraceEvent, Turn
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.reports.formatting import format_duration
from agentlab_ci.reports.reasons import describe_evaluation, explain_sample, tell_history


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """One text of a sample. `title` is a fixed word; `details` and `text` are untrusted.

    `at_ms` is when it happened, after the start of the sample's last draw; None where it is not known.
    """

    title: str
    details: tuple[str, ...] = ()
    text: str
    at_ms: float | None = None


def exhibits(sample: SampleResult) -> Iterator[Exhibit]:
    """Yield what happened, in order; the final output only where there is nothing else."""
    steps = list(_in_order(sample))
    for (at_ms, step), (_, following) in zip_longest(steps, steps[1:], fillvalue=(None, None)):
        match step:
            case Turn(text="", note=None) if isinstance(following, ToolCall):
                continue  # the calls are what it said
            case Turn():
                yield Exhibit(title=step.role.value, details=tuple(_details(step)), text=step.text, at_ms=at_ms)
            case ToolCall():
                yield Exhibit(title="tool call", details=tuple(_details(step)), text=_show_call(step), at_ms=at_ms)
            case TraceEvent():
                yield Exhibit(title=step.kind.value, text=step.text or "", at_ms=at_ms)
    if not steps and sample.final_output is not None:
        yield Exhibit(title="final output", text=sample.final_output)
    if sample.error is not None and sample.error.body:
        yield Exhibit(title=name_body(sample), text=sample.error.body)


def _in_order(sample: SampleResult) -> Iterator[tuple[float | None, Turn | ToolCall | TraceEvent]]:
    """Yield turns, tool calls and the trace's own events as they happened; turns first where there is no trace."""
    if not sample.trace:
        yield from ((None, turn) for turn in sample.turns)
        yield from ((None, call) for call in sample.tool_calls)
    for event in sample.trace:
        match event:
            case TraceEvent(kind=EventKind.TURN, index=int(index)):
                yield from ((event.at_ms, turn) for turn in sample.turns[index : index + 1])
            case TraceEvent(kind=EventKind.TOOL_CALL, index=int(index)):
                yield from ((event.at_ms, call) for call in sample.tool_calls[index : index + 1])
            case _:
                yield event.at_ms, event


def name_body(sample: SampleResult) -> str:
    """Say what the body of a sample's error came instead of."""
    match sample.termination_reason:
        case TerminationReason.SIMULATOR_ERROR:
            return "instead of the user's message"
        case TerminationReason.JUDGE_ERROR:
            return "instead of a judgement"
        case _:
            return "instead of an answer"


def describe_sample(sample: SampleResult) -> str:
    """Return the reasons, the history and the exhibits as plain text; of a judge, its reason to pass it too."""
    judged = [e for e in sample.evaluations if e.type == JUDGE] if sample.status is SampleStatus.PASSED else []
    told = [*explain_sample(sample), *(f"{describe_evaluation(e)}: {e.message}" for e in judged)]
    told += tell_history(sample)
    shown = (f"\n{', '.join((it.title, *it.details))}:\n{it.text}" for it in exhibits(sample))
    return "\n".join([*told, *shown])


def to_json(value: object) -> str:
    """Write an input or an output of a tool in one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _show_call(call: ToolCall) -> str:
    came = f"error: {call.error}" if call.error is not None else f"output: {to_json(call.output)}"
    return f"input: {to_json(call.input)}\n{came}"


def _details(step: Turn | ToolCall) -> Iterator[str]:
    took = step.latency_ms if isinstance(step, Turn) else step.duration_ms
    if isinstance(step, ToolCall):
        yield step.name
    if took is not None:
        yield format_duration(took)
    if isinstance(step, ToolCall) and step.fault is not None:
        yield f"fault: {step.fault}"
    if isinstance(step, Turn) and step.note is not None:
        yield step.note
