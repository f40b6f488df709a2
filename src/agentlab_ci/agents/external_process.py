"""An agent that is a command of the project: a process for each sample, which speaks JSON lines."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from time import perf_counter

from agentlab_ci.agents.http_body import read_text
from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, AgentWorld, SessionStart
from agentlab_ci.agents.lingering import GRACE_SECONDS, Lingering
from agentlab_ci.agents.process_lines import (
    CallLine,
    ErrorLine,
    FinalLine,
    read_line,
    write_error,
    write_outcome,
    write_start,
)
from agentlab_ci.agents.turn_parts import MalformedError, SessionLog
from agentlab_ci.core.config import ExternalProcessAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief
from agentlab_ci.core.trace import Usage
from agentlab_ci.processes.child import Child, ChildGoneError, Command, LineTooLongError
from agentlab_ci.processes.endings import join_ends
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.starting import explain_start_failure

_LINES_SHOWN = 5
"""Lines of a failure's body that the log shows."""
_LONGEST_WORDS = 200
_LINES_IN_A_ROW = 200
"""Lines that are read before other samples get their turn."""


class ProcessConnection:
    """A slot's way to start the command."""

    def __init__(self, config: ExternalProcessAgent, world: AgentWorld) -> None:
        self._config = config
        self._world = world
        self._lingering = Lingering()

    @asynccontextmanager
    async def task(self, start: SessionStart, brief: TaskBrief) -> AsyncIterator["ProcessSession"]:
        """Start a sample's work; the process itself starts with the first turn."""
        session = ProcessSession(self._config, self._world, write_start(start, brief))
        try:
            yield session
        finally:
            if session.child is not None:
                if session.over:
                    self._lingering.add(session.child)
                else:
                    await session.child.end()

    async def aclose(self) -> None:
        """Wait for processes that have said all, a second at most."""
        await self._lingering.settle()


class ProcessSession:
    """One sample's process. Calls that it asks for in one go are turns of their own, in order."""

    def __init__(self, config: ExternalProcessAgent, world: AgentWorld, start_line: bytes) -> None:
        self._config = config
        self._world = world
        self._start_line = start_line
        self._log = SessionLog(world.mask)
        self._started = 0.0
        self.child: Child | None = None
        self.over = False
        """Whether nothing more is to be said on either side."""

    async def advance(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        """Tell what came of the last call and return the next turn, within `turn_timeout_ms` in all.

        Raises AgentFailedError.
        """
        deadline = asyncio.timeout(self._config.turn_timeout_ms / 1000)
        try:
            async with deadline:
                return await self._exchange(outcomes)
        except TimeoutError:
            if not deadline.expired():
                raise
            limit = f"no reply within {self._config.turn_timeout_ms} ms (`turn_timeout_ms`)"
            raise self._failure(limit, reason=TerminationReason.TIMEOUT_EXCEEDED) from None
        except ChildGoneError as gone:
            raise self._failure(f"{gone} before its final answer{self._last_words(gone.stderr)}") from None
        except LineTooLongError as problem:
            raise await self._refuse(f"{problem} (`max_reply_bytes`)") from None
        except MalformedError as problem:
            raise await self._refuse(str(problem)) from None

    async def _exchange(self, outcomes: Sequence[CallOutcome]) -> AgentTurn:
        child = self.child or await self._start()
        self._started = perf_counter()
        if self.child is None:
            self.child = child
            await child.write(self._start_line)
        for outcome in outcomes:
            await child.write(write_outcome(outcome))
        return await self._next_turn(child)

    async def _next_turn(self, child: Child) -> AgentTurn:
        lines = 0
        while True:
            text, note = read_text(await child.read_line())
            lines += 1
            if lines % _LINES_IN_A_ROW == 0:
                await asyncio.sleep(0)  # a line that has come already is read without a pause
            try:
                said = read_line(text)
            except MalformedError:
                self._log.add(text)
                raise
            match said:
                case None:
                    self._log.add(text)
                case CallLine(call=call, message=message, usage=usage):
                    return self._turn(calls=(call,), message=message, usage=usage, note=note)
                case FinalLine(output=output, message=message, usage=usage):
                    self.over = True
                    return self._turn(final=output, message=message, usage=usage, note=note)
                case ErrorLine(message=message, retryable=retryable):
                    self.over = True
                    raise self._failure(f"it gave up: {message}", redrawable=retryable)

    def _turn(
        self,
        *,
        usage: Usage,
        note: str | None,
        calls: tuple[CallRequest, ...] = (),
        message: str | None = None,
        final: str | None = None,
    ) -> AgentTurn:
        if self.child is not None:
            for line in self.child.take_stderr().splitlines():
                self._log.add(line)
        return AgentTurn(
            calls=calls,
            final=final,
            message=message,
            usage=usage,
            latency_ms=(perf_counter() - self._started) * 1000,
            log=self._log.take(),
            note=note,
        )

    async def _start(self) -> Child:
        config, world = self._config, self._world
        command = Command(
            argv=(config.command, *config.args),
            cwd=world.project / config.cwd,
            env=child_environment(world.environ, config.env_allowlist),
        )
        try:
            return await Child.start_within(
                config.turn_timeout_ms / 1000, command, max_line_bytes=world.max_reply_bytes, mask=world.mask
            )
        except OSError as problem:
            message = explain_start_failure(command, problem)
            raise AgentFailedError(message, reason=TerminationReason.AGENT_ERROR) from None

    def _last_words(self, stderr: str) -> str:
        """Return the end of a message: the last line of a long text, of which the log shows the first ones."""
        lines = self._world.mask(stderr).strip().splitlines()
        return f": {lines[-1].strip()[:_LONGEST_WORDS]}" if len(lines) > _LINES_SHOWN else ""

    async def _refuse(self, message: str) -> AgentFailedError:
        """Tell the agent what was wrong with its line, if it still reads, and return the failure."""
        self.over = True
        if self.child is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.child.write(write_error(message))
        return self._failure(message, reason=TerminationReason.INVALID_RESPONSE_FORMAT)

    def _failure(
        self,
        message: str,
        *,
        reason: TerminationReason = TerminationReason.AGENT_ERROR,
        redrawable: bool = False,
    ) -> AgentFailedError:
        """Return the failure, with what came on stdout beside the protocol and the end of stderr."""
        mask = self._world.mask
        printed = mask("\n".join(line for line in self._log.take() if line))
        stderr = mask(self.child.stderr_tail()).strip() if self.child else ""
        said = join_ends(printed, stderr)
        return AgentFailedError(
            f"`{self._config.command}`: {message}",
            reason=reason,
            body=said or None,
            redrawable=redrawable,
        )


def open_process_agent(config: ExternalProcessAgent, world: AgentWorld) -> ProcessConnection:
    """Open the agent for one slot; nothing is started yet."""
    return ProcessConnection(config, world)
