"""What one attempt at a sample has brought so far, so that an attempt cut short still shows it."""

from dataclasses import dataclass, field
from typing import TypeVar

from agentlab_ci.agents.interface import Reply
from agentlab_ci.core.trace import Evaluation, Role, ToolCall, Turn, Usage

NumberT = TypeVar("NumberT", int, float)


@dataclass(slots=True)
class Recording:
    """Grows while the attempt runs; the only mutable data of a sample."""

    turns: list[Turn] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)

    def add_message(self, text: str) -> None:
        """Note what the user says."""
        self.turns.append(Turn(role=Role.USER, text=text))

    def add_reply(self, reply: Reply) -> None:
        """Note what the agent answers."""
        latency = round(reply.latency_ms, 1)
        self.turns.append(Turn(role=Role.AGENT, text=reply.text, latency_ms=latency, note=reply.note))
        self.usages.append(reply.usage)

    @property
    def final_output(self) -> str | None:
        """The agent's last words, None before the first."""
        return next((turn.text for turn in reversed(self.turns) if turn.role is Role.AGENT), None)

    @property
    def agent_turns(self) -> int:
        """How often the agent answered."""
        return sum(turn.role is Role.AGENT for turn in self.turns)

    @property
    def usage(self) -> Usage:
        """The sum over all replies; a figure that any of them lacks is unknown."""
        return Usage(
            input_tokens=_total([u.input_tokens for u in self.usages]),
            output_tokens=_total([u.output_tokens for u in self.usages]),
            cost_usd=_total([u.cost_usd for u in self.usages]),
        )


def _total(figures: list[NumberT | None]) -> NumberT | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known and len(known) == len(figures) else None
