"""What happened in a sample, as results.json holds it: turns, tool calls, evaluations, waits, and their order."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from agentlab_ci.core.model import Flag, Model, Number, Whole
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode

MOST = 10**24
"""Above what any run comes to, sums of an agent's own figures included, and still far from infinity."""

Count = Annotated[Whole, Field(ge=0, le=MOST)]
"""How many: a whole number, never a float or a bool."""
Ordinal = Annotated[Whole, Field(ge=1, le=MOST)]
"""Which one, counted from 1."""
Figure = Annotated[Number, Field(ge=0, le=MOST)]
"""How much: finite and not negative."""


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
    latency_ms: Figure | None = None
    note: str | None = None


class ToolCall(Record):
    """One call of a tool, an attempt included; exactly one of `output` and `error` is set."""

    name: str
    input: dict[str, Any]
    output: Any = None
    error: str | None = None
    duration_ms: Figure | None = None
    fault: str | None = None


class EventKind(StrEnum):
    """What a step of a trace is."""

    TURN = "turn"
    TOOL_CALL = "tool_call"
    LIMIT = "limit"
    """The sample went over a limit of the scenario, or called a tool that it forbids."""
    LOG = "log"
    """What the agent printed that was no message of its protocol."""
    SEED = "seed"
    """What was said before the first step, as the runtime profile says; nobody judges it."""
    FAULT = "fault"
    """A request to the agent went wrong on purpose, as the runtime profile says."""


class TraceEvent(Record):
    """One step of a sample, `at_ms` after the start of the draw that counted.

    `index` is the place of the turn or tool call in the sample's list, from 0; `text` is that of the other kinds.
    """

    at_ms: Figure
    kind: EventKind
    index: Count | None = None
    text: str | None = None


class Evaluation(Record):
    """An evaluator's answer for one sample. `step` counts from 1, None at the end."""

    id: str
    type: str
    mode: Mode
    step: Ordinal | None = None
    passed: Flag
    weight: Annotated[Number, Field(ge=0)] = 1
    message: str


class Usage(Record):
    """What a sample used, as far as the agent says; None is unknown, not zero."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost_usd: Figure | None = None


class Wait(Record):
    """A request that was put off because the agent was busy, or the `model` of a simulation that is named."""

    seconds: Figure
    status: Count
    attempt: Ordinal
    model: str | None = Field(None, exclude_if=lambda value: value is None)


class Redraw(Record):
    """A fresh start of the sample, and what ended the one before."""

    reason: TerminationReason
    message: str
    seconds: Figure


class SampleError(Record):
    """Why a sample could not be judged, with as much of the cause as is safe.

    `hopeless` means that the agent said that it will answer nobody, however long is waited.
    """

    message: str
    status: Count | None = None
    body: str | None = None
    hopeless: Flag = Field(False, exclude_if=lambda value: not value)
