"""An agent that is a Python function of the project: `answer(messages, context, tools)`, in a worker process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.lingering import Lingering
from agentlab_ci.agents.python_answer import PythonAnswer, read_answer
from agentlab_ci.agents.turn_parts import MalformedError, SessionLog
from agentlab_ci.core.config import PythonAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, TaskBrief
from agentlab_ci.processes.child import Child, ChildGoneError, LineTooLongError
from agentlab_ci.processes.endings import join_ends
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.python_worker import NOT_JSON, Worker, WorkerFailedError, worker_command
from agentlab_ci.processes.starting import explain_start_failure

_NO_BRIEF = TaskBrief(instructions="", tools=())


class PythonConnection:
    """A slot's way to start workers."""

    def __init__(self, config: PythonAgent, world: AgentWorld) -> None:
        self._config = config
        self._world = world
        self._lingering = Lingering()

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["PythonTalk"]:
        """Start a sample's talk; its process starts with the first message."""
        async with self._function(start, _NO_BRIEF) as function:
            yield PythonTalk(function, start)

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["PythonWork"]:
        """Start a sample's work; its process starts with the first turn."""
        async with self._function(start, brief) as function:
            yield PythonWork(function, brief)

    async def aclose(self) -> None:
        """Wait for processes that are about to end by themselves, a second at most."""
        await self._lingering.settle()

    @asynccontextmanager
    async def _function(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["_Function"]:
        function = _Function(self._config, self._world, start, brief)
        try:
            yield function
        finally:
            if function.worker is not None:
                if function.idle:
                    self._lingering.add(function.worker.child)
                else:
                    await function.worker.child.end()


class PythonTalk:
    """One sample's conversation. The history grows by what was answered, and only by that."""

    def __init__(self, function: "_Function", start: SessionStart) -> None:
        self._function = function
        self._messages: tuple[Mapping[str, Any], ...] = start.history

    async def send(self, message: str) -> Reply:
        """Say `message` as the user and return the answer. Raises AgentFailedError."""
        messages = (*self._messages, {"role": "user", "content": message})
        said = await self._function.ask(messages)
        if said.answer.calls or said.answer.reply is None:
            raise self._function.refuse("it returned `tool_calls`, but a conversation has no tools")
        self._messages = (*messages, {"role": "assistant", "content": said.answer.reply})
        return Reply(text=said.answer.reply, latency_ms=said.latency_ms, usage=said.answer.usage, log=said.log)


class PythonWork:
    """One sample's task."""

    def __init__(self, function: "_Function", brief: TaskBrief) -> None:
        self._function = function
        self._messages: tuple[Mapping[str, Any], ...] = ({"role": "user", "content": brief.instructions},)

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        """Tell what came of the last turn's calls and return the next turn. Raises AgentFailedError."""
        messages = (*self._messages, *(_as_message(outcome) for outcome in outcomes))
        said = await self._function.ask(messages)
        reply, calls = said.answer.reply, said.answer.calls
        asked = [{"name": call.name, "input": call.input} for call in calls]
        self._messages = (*messages, {"role": "assistant", "content": reply or "", "tool_calls": asked})
        return AgentTurn(
            calls=calls,
            final=None if calls else reply,
            message=reply if calls else None,
            latency_ms=said.latency_ms,
            usage=said.answer.usage,
            log=said.log,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    answer: PythonAnswer
    latency_ms: float
    log: tuple[str, ...]


class _Function:
    """The project's function in its worker."""

    def __init__(self, config: PythonAgent, world: AgentWorld, start: SessionStart, brief: TaskBrief) -> None:
        self._config = config
        self._world = world
        self._log = SessionLog(world.mask)
        self._context = {
            "scenario_id": start.scenario_id,
            "sample": start.sample,
            "conversation_id": start.conversation_id,
            "system_prompt": start.system_prompt,
            "variables": brief.variables,
            "memory": start.memory,
            "userdata": start.userdata,
        }
        self._tools = [
            {"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in brief.tools
        ]
        self.worker: Worker | None = None
        self.idle = False
        """Whether the worker waits for a request, so that it can end by itself."""

    async def ask(self, messages: Sequence[Mapping[str, Any]]) -> _Said:
        """Call the function within `turn_timeout_ms`, the first import included. Raises AgentFailedError."""
        deadline = asyncio.timeout(self._config.turn_timeout_ms / 1000)
        self.idle = False
        try:
            async with deadline:
                worker = self.worker or await self._start()
                started = perf_counter()
                args = [messages, self._context, self._tools]
                value = await worker.call({"do": "call", "args": args, "kwargs": {}})
                latency_ms = (perf_counter() - started) * 1000
        except TimeoutError:
            if not deadline.expired():
                raise
            limit = f"no answer within {self._config.turn_timeout_ms} ms (`turn_timeout_ms`)"
            raise self._failure(limit, reason=TerminationReason.TIMEOUT_EXCEEDED) from None
        except ChildGoneError as gone:
            raise self._failure(f"its process is gone: {gone}") from None
        except LineTooLongError as problem:
            raise self.refuse(f"it returned too much: {problem} (`max_reply_bytes`)") from None
        except WorkerFailedError as failed:
            raise self._explain(failed) from None
        self.idle = True
        try:
            answer = read_answer(value)
        except MalformedError as problem:
            raise self.refuse(str(problem)) from None
        for line in worker.take_prints().splitlines():
            self._log.add(line)
        return _Said(answer=answer, latency_ms=latency_ms, log=self._log.take())

    def refuse(self, message: str) -> AgentFailedError:
        """Return the failure for an answer in the wrong form."""
        return self._failure(message, reason=TerminationReason.INVALID_RESPONSE_FORMAT)

    async def _start(self) -> Worker:
        config, world = self._config, self._world
        env = child_environment(world.environ, config.env_allowlist)
        command = worker_command(config.python, world.project, env=env)
        try:
            child = await Child.start_within(
                config.turn_timeout_ms / 1000, command, max_line_bytes=world.max_reply_bytes, mask=world.mask
            )
        except OSError as problem:
            message = explain_start_failure(command, problem)
            raise AgentFailedError(message, reason=TerminationReason.AGENT_ERROR) from None
        self.worker = Worker(child)
        module, _, attribute = config.target.partition(":")
        await self.worker.call({"do": "import", "module": module, "attribute": attribute})
        return self.worker

    def _explain(self, failed: WorkerFailedError) -> AgentFailedError:
        self.idle = True
        if failed.type == NOT_JSON:
            return self.refuse(failed.message)
        message = str(failed)
        if failed.type == ModuleNotFoundError.__name__:
            message += "; `python` in the config names the interpreter that has it"
        return self._failure(message, frames=failed.frames)

    def _failure(
        self, message: str, *, reason: TerminationReason = TerminationReason.AGENT_ERROR, frames: str = ""
    ) -> AgentFailedError:
        """Return the failure, with the function's own frames and the end of what it printed."""
        mask = self._world.mask
        printed = mask(self.worker.take_prints()) if self.worker else ""
        body = join_ends(mask(frames).rstrip(), printed.rstrip())
        return AgentFailedError(f"`{self._config.target}`: {message}", reason=reason, body=body or None)


def open_python_agent(config: PythonAgent, world: AgentWorld) -> PythonConnection:
    """Open the agent for one slot; nothing is started yet."""
    return PythonConnection(config, world)


def _as_message(outcome: CallOutcome) -> Mapping[str, Any]:
    told = outcome.output if outcome.error is None else {"error": outcome.error}
    return {"role": "tool", "name": outcome.name, "content": json.dumps(told)}
