"""Models that follow a script: the played user and the judge of simulations, in virtual time."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlab_ci.agents.interface import (
    AgentBusyError,
    AgentFailedError,
    ModelReply,
    NoMessageError,
    SimulationModels,
)
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario, Simulation
from agentlab_ci.core.trace import Usage
from scripted_agent import make_scenario

Saying = str | Exception
"""What a model does when it is asked: it says this text, or the request fails so."""


@dataclass
class ScriptedModel:
    """Does what `script` says for the n-th request, from 1; remembers what it was asked."""

    script: Callable[[int], Saying]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 1.0
    asked: list[list[Mapping[str, str]]] = field(default_factory=list)
    schemas: list[Mapping[str, Any] | None] = field(default_factory=list)
    closed: int = 0

    async def complete(
        self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None
    ) -> ModelReply:
        self.asked.append(list(messages))
        self.schemas.append(schema)
        said = self.script(len(self.asked))
        await asyncio.sleep(self.seconds)
        if isinstance(said, Exception):
            raise said
        return ModelReply(text=said, usage=self.usage)

    async def aclose(self) -> None:
        self.closed += 1


@dataclass
class Cast:
    """The two models of a run; `opened` counts how often a worker slot opened them."""

    simulator: ScriptedModel
    judge: ScriptedModel
    opened: int = 0

    def open(self) -> SimulationModels:
        self.opened += 1
        return SimulationModels(simulator=self.simulator, judge=self.judge)


def says(message: str, *, done: bool = False) -> str:
    """Return a line of the played user."""
    return json.dumps({"message": message, "done": done})


def judges(met: bool, reason: str = "because") -> str:
    """Return a judgement."""
    return json.dumps({"reason": reason, "met": met})


def in_turn(*sayings: Saying) -> Callable[[int], Saying]:
    """Script these, and the last one for ever."""
    return lambda number: sayings[min(number, len(sayings)) - 1]


def cast(user: Sequence[Saying], judge: Sequence[Saying] = (judges(True),)) -> Cast:
    """Return models that do this in turn."""
    return Cast(ScriptedModel(in_turn(*user)), ScriptedModel(in_turn(*judge)))


def down(message: str = "POST http://m/v1: connection refused") -> AgentFailedError:
    """Return the failure of an endpoint where nothing listens."""
    return AgentFailedError(
        message, reason=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True, unreached=True
    )


def refused(status: int = 401, body: str = "who are you?") -> AgentFailedError:
    """Return the failure of an endpoint that answers with an error."""
    return AgentFailedError(f"HTTP {status}", reason=TerminationReason.HTTP_ERROR, status=status, body=body)


def no_message(fault: str = "it refused (`refusal`)", *, refused: bool = True) -> NoMessageError:
    """Return the answer of a model that cost something and is no message."""
    used = Usage(input_tokens=5, output_tokens=1, cost_usd=0.005)
    return NoMessageError(fault, body="I can't play that person.", usage=used, refused=refused)


def busy(retry_after: float | None = 5.0) -> AgentBusyError:
    """Return the refusal of a busy endpoint."""
    return AgentBusyError(status=429, retry_after=retry_after, body="slow down")


def make_simulation(
    scenario_id: str = "a.talk", *, max_turns: int = 3, userdata: Mapping[str, Any] | None = None, **more: Any
) -> Scenario:
    """Return a simulation without evaluators."""
    body = Simulation(
        instructions="Ask for a refund.",
        agent_expectations="The agent refunds.",
        max_turns=max_turns,
        userdata=userdata or {},
    )
    return make_scenario(scenario_id, **{"body": body} | more)
