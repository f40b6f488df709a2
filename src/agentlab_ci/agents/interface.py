"""What every agent is: opened once for each worker slot, one session for each sample, one answer at a time."""

import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from agentlab_ci.core.config import HttpFault
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief
from agentlab_ci.core.trace import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWorld:
    """What an agent may use of the world. `tls` makes the run's one TLS context, on first use.

    `mask` takes the secrets out of a text: what an agent cuts, it masks first, since half a secret is not found.
    """

    environ: Mapping[str, str]
    project: Path
    max_reply_bytes: int
    tls: Callable[[], ssl.SSLContext]
    mask: Callable[[str], str] = str


def no_fault() -> HttpFault | None:
    """Let a request go well."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """What an agent is told when a sample starts. `conversation_id` is new for each start, redraws included.

    A runtime profile may let samples share one. `history` is what was said before, as entries of `messages`, for
    agents that are told it; `memory` is the profile's `memory_blob`; `userdata` is that of a simulation, which
    reaches the agent as metadata. `next_fault` is asked before each request over HTTP, and says how it goes wrong.
    """

    scenario_id: str
    sample: int
    conversation_id: str
    system_prompt: str | None = None
    history: tuple[Mapping[str, str], ...] = ()
    memory: Mapping[str, Any] = field(default_factory=dict)
    userdata: Mapping[str, Any] = field(default_factory=dict)
    next_fault: Callable[[], HttpFault | None] = no_fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: its whole text, uncut and unredacted; `latency_ms` of the request that was answered.

    `note` says what was put right in the text, such as bytes that are not UTF-8. `log` is as that of a turn.
    """

    text: str
    latency_ms: float
    usage: Usage = field(default_factory=Usage)
    note: str | None = None
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """An answer in a task: tools to call, in order, or the final answer; exactly one of the two is there.

    `message` is what the agent said beside its calls, or beside its answer. `log` holds what it printed that was
    not for us, bounded by whoever read it. All texts are uncut and unredacted.
    """

    calls: tuple[CallRequest, ...] = ()
    final: str | None = None
    message: str | None = None
    latency_ms: float
    usage: Usage = field(default_factory=Usage)
    log: tuple[str, ...] = ()
    note: str | None = None


class AgentFailedError(Exception):
    """No answer came; the sample is an error. `redrawable`: a fresh start may be tried.

    `status` and `body` are an HTTP answer's, the body unredacted unless it was longer than 64 KiB: then it is
    masked and cut. `unreached`: no connection could be made, so nothing may be there; one that broke, and one for
    which this machine had no file to open, say nothing of the kind. `hopeless`: the agent said that it will answer
    nobody, whatever is asked and however long is waited, as where there is no credit.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: TerminationReason,
        status: int | None = None,
        body: str | None = None,
        redrawable: bool = False,
        unreached: bool = False,
        hopeless: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.status = status
        self.body = body
        self.redrawable = redrawable
        self.unreached = unreached
        self.hopeless = hopeless


class NoMessageError(AgentFailedError):
    """A model answered, but with no message that can be used: cut short, refused, or a call of a tool.

    `usage` is what it used all the same. `refused`: it would not say this, and may well say something else.
    """

    def __init__(self, message: str, *, body: str, usage: Usage, refused: bool = False) -> None:
        super().__init__(message, reason=TerminationReason.INVALID_RESPONSE_FORMAT, body=body)
        self.usage = usage
        self.refused = refused


class AgentBusyError(Exception):
    """The agent did not process the request (429, 503): sending it again is safe after a wait.

    `retry_after` is what the agent asked for in seconds, None where it did not say.
    """

    def __init__(self, *, status: int, retry_after: float | None, body: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.retry_after = retry_after
        self.body = body


class Session(Protocol):
    """One sample's talk with the agent."""

    async def send(self, message: str) -> Reply:
        """Say `message` as the user and return the answer.

        Ends within the agent's own time limit. Raises AgentFailedError when no answer comes, and AgentBusyError
        when the request was not processed, in which case the session is as it was before and may send again.
        """
        ...


class TaskSession(Protocol):
    """One sample's work on a task."""

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        """Tell the agent what came of the calls of its last turn, in order, and return its next turn.

        The first call, with no outcomes, starts the work. Ends within the agent's own time limit. Raises
        AgentFailedError when no turn comes, and AgentBusyError when the request was not processed, in which case
        the same outcomes may be told again.
        """
        ...


class Agent(Protocol):
    """A worker slot's connection to the agent; used by one sample at a time.

    Beside this it is a Talker, a Worker, or both, as `RUNS_ON` says of its provider.
    """

    async def aclose(self) -> None:
        """Let go of connections. Never waits on the agent."""
        ...


class Talker(Agent, Protocol):
    """An agent that holds conversations."""

    def session(self, start: SessionStart) -> AbstractAsyncContextManager[Session]:
        """Start a sample's session; leaving it frees whatever the sample held."""
        ...


class Worker(Agent, Protocol):
    """An agent that works on tasks."""

    def task(self, start: SessionStart, brief: TaskBrief) -> AbstractAsyncContextManager[TaskSession]:
        """Start a sample's work; leaving it frees whatever the sample held, running or not."""
        ...


AgentFactory = Callable[[Any, AgentWorld], Agent]
"""Opens an agent for one slot from its config."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a model that is no agent said: its whole text, and what that used."""

    text: str
    usage: Usage = field(default_factory=Usage)


class ChatModel(Protocol):
    """A worker slot's connection to a model that plays the user or judges; used by one sample at a time."""

    async def complete(
        self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None
    ) -> ModelReply:
        """Return the model's next message; `messages` have `role` and `content`.

        With `schema` the server is asked to hold the model to that JSON schema; one that cannot is asked again
        without it, so the reply may be anything all the same. Ends within the endpoint's time limit. Raises
        AgentFailedError when no reply comes, NoMessageError for one that is none, and AgentBusyError when the
        request was not processed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections. Never waits on the server."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationModels:
    """The models of a simulation, as one worker slot holds them."""

    simulator: ChatModel
    judge: ChatModel
