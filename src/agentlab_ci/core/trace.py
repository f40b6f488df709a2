"""What happened in a sample, as results.json holds it: turns, tool calls, evaluations, waits, redraws."""

from enum import StrEnum
from typing import Any

from pydantic import ConfigDict

from agentlab_ci.core.model import Model
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode


class Record(Model):
    """A part of results.json. Keys of a newer version are kept, not refused."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    AGENT = "agent"


class Turn(Record):
    """One message. `latency_ms` is the answered request's, first byte out to last byte in."""

    role: Role
    text: str
    latency_ms: float | None = None
    note: str | None = None


class ToolCall(Record):
    """One call of a tool, an attempt included; exactly one of `output` and `error` is set."""

    name: str
    input: dict[str, Any]
    output: Any = None
    error: str | None = None
    duration_ms: float | None = None
    fault: str | None = None


class Evaluation(Record):
    """An evaluator's answer for one sample. `step` counts from 1, None at the end."""

    id: str
    type: str
    mode: Mode
    step: int | None = None
    passed: bool
    weight: float = 1
    message: str


class Usage(Record):
    """What a sample used, as far as the agent says; None is unknown, not zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Wait(Record):
    """A request that was put off because the agent was busy."""

    seconds: float
    status: int
    attempt: int


class Redraw(Record):
    """A fresh start of the sample, and what ended the one before."""

    reason: TerminationReason
    message: str
    seconds: float


class SampleError(Record):
    """Why a sample could not be judged, with as much of the cause as is safe."""

    message: str
    status: int | None = None
    body: str | None = None
