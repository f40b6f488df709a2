"""What one attempt at a sample has brought so far, so that an attempt cut short still shows it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from agentlab_ci.agents.interface import AgentTurn, Reply
from agentlab_ci.core.tool import CallOutcome, CallRequest
from agentlab_ci.core.trace import MOST, Evaluation, EventKind, Role, ToolCall, TraceEvent, Turn, Usage

NumberT = TypeVar("NumberT", int, float)


@dataclass(slots=True)
class Recording:
    """Grows while the attempt runs; the only mutable data of a sample. `clock` counts seconds."""

    clock: Callable[[], float] = time.monotonic
    turns: list[Turn] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    trace: list[TraceEvent] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)
    simulator_usages: list[Usage] = field(default_factory=list)
    judge_usages: list[Usage] = field(default_factory=list)
    final_output: str | None = None
    """The agent's answer: the last one in a conversation."""
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def add_message(self, text: str) -> None:
        """Note what the user says."""
        self._add_turn(Turn(role=Role.USER, text=text))

    def add_reply(self, reply: Reply) -> None:
        """Note what the agent answers in a conversation."""
        self._add_log(reply.log)
        latency = round(reply.latency_ms, 1)
        self._add_turn(Turn(role=Role.AGENT, text=reply.text, latency_ms=latency, note=reply.note))
        self.usages.append(reply.usage)
        self.final_output = reply.text

    def add_turn(self, turn: AgentTurn) -> None:
        """Note what the agent says in a task: its words beside the calls, or its final answer.

        What it used is summed over the turns that say so: a protocol may tell it once, at the end.
        """
        self._add_log(turn.log)
        if turn.final is not None and turn.message:
            self._add_turn(Turn(role=Role.AGENT, text=turn.message))
        said = (turn.message or "") if turn.final is None else turn.final
        latency = round(turn.latency_ms, 1)
        self._add_turn(Turn(role=Role.AGENT, text=said, latency_ms=latency, note=turn.note))
        if turn.usage != Usage():
            self.usages.append(turn.usage)
        if turn.final is not None:
            self.final_output = turn.final

    def add_call(self, request: CallRequest, outcome: CallOutcome) -> None:
        """Note a tool call and what came of it, an attempt that was blocked included."""
        call = ToolCall(
            name=request.name,
            input=dict(request.input),
            output=outcome.output,
            error=outcome.error,
            duration_ms=round(outcome.duration_ms, 1),
            fault=outcome.fault,
        )
        self._add_event(EventKind.TOOL_CALL, index=len(self.tool_calls))
        self.tool_calls.append(call)

    def add_limit(self, text: str) -> None:
        """Note which limit of the scenario ended the sample."""
        self._add_event(EventKind.LIMIT, text=text)

    def add_seed(self, speaker: str, text: str) -> None:
        """Note what was said before the first step."""
        self._add_event(EventKind.SEED, text=f"{speaker}: {text}")

    def add_seed_reply(self, reply: Reply) -> None:
        """Note an answer to such a message: it is no turn, though what it cost is counted."""
        self.add_seed(Role.AGENT, reply.text)
        self.usages.append(reply.usage)

    def add_fault(self, text: str) -> None:
        """Note what a request to the agent suffered."""
        self._add_event(EventKind.FAULT, text=text)

    @property
    def agent_turns(self) -> int:
        """How often the agent answered."""
        return sum(turn.role is Role.AGENT for turn in self.turns)

    @property
    def usage(self) -> Usage:
        """What the agent used: the sum over all that was told."""
        return add_up(self.usages)

    @property
    def simulator_usage(self) -> Usage | None:
        """What playing the user took; None where no model did."""
        return add_up(self.simulator_usages) if self.simulator_usages else None

    @property
    def judge_usage(self) -> Usage | None:
        """What judging took; None where no model did."""
        return add_up(self.judge_usages) if self.judge_usages else None

    def _add_log(self, lines: tuple[str, ...]) -> None:
        for line in lines:
            self._add_event(EventKind.LOG, text=line)

    def _add_turn(self, turn: Turn) -> None:
        self._add_event(EventKind.TURN, index=len(self.turns))
        self.turns.append(turn)

    def _add_event(self, kind: EventKind, *, index: int | None = None, text: str | None = None) -> None:
        at_ms = round((self.clock() - self._began) * 1000, 1)
        self.trace.append(TraceEvent(at_ms=at_ms, kind=kind, index=index, text=text))


def add_up(usages: list[Usage]) -> Usage:
    """Return the sum; a figure that any of them lacks, or that no run comes to, is unknown."""
    return Usage(
        input_tokens=_total([usage.input_tokens for usage in usages]),
        output_tokens=_total([usage.output_tokens for usage in usages]),
        cost_usd=_total([usage.cost_usd for usage in usages]),
    )


def _total(figures: list[NumberT | None]) -> NumberT | None:
    known = [figure for figure in figures if figure is not None]
    if not known or len(known) < len(figures):
        return None
    total = sum(known)
    if not total <= MOST:  # not a number is no smaller either
        return None
    return round(total, 12) if isinstance(total, float) else total
