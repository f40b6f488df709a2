"""A child process that talks in lines: started in a group of its own, and always ended."""

import asyncio
import contextlib
import errno
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self, cast

from agentlab_ci.processes.errors import ChildGoneError, LineTooLongError
from agentlab_ci.processes.exit_watch import ExitWatch
from agentlab_ci.processes.family import kill_family, kill_orphans, reap, reap_orphans, start_leader
from agentlab_ci.processes.pipes import LineBuffer, PipeReader, Tail

__all__ = ["Child", "ChildGoneError", "Command", "LineTooLongError", "kill_orphans"]

STDERR_SHOWN = 8 << 10
LONGEST_SECRET = 16 << 10
"""Bytes that are kept beyond what is shown, so that half a secret at the cut can be dropped."""
_EXIT_SECONDS = 1.0
"""How long a child that closed its stdout gets to end, so that its exit code can be told."""
_REAP_SECONDS = 2.0
_REAP_EVERY_SECONDS = 0.5
"""The pause between two looks for what has ended of what nobody waits for: zombies count as processes."""
_ROOM_SECONDS = 0.05
"""The pause between two tries to start a child."""
NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.EAGAIN}
"""Why a child does not start while others run, and may start later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start. `env` is the whole environment of the child; `argv[0]` is looked up in its PATH and `cwd`."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]


class Child:
    """A child under way. Memory is bounded, and nothing of it outlives `end`.

    One task reads and one writes at a time. What it says on stderr is read all the time, and its tail is kept.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], *, max_line_bytes: int, mask: Callable[[str], str]
    ) -> None:
        self._process = process
        self._mask = mask
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._stdin: IO[bytes] | None = process.stdin
        self._lines = LineBuffer(max_line_bytes)
        self._tail = Tail(STDERR_SHOWN + LONGEST_SECRET)
        os.set_blocking(cast("IO[bytes]", process.stdin).fileno(), False)
        self._stdout = PipeReader(cast("IO[bytes]", process.stdout), self._lines, self._changed.set)
        self._stderr = PipeReader(cast("IO[bytes]", process.stderr), self._tail, lambda: None)
        self._watch = ExitWatch(process, self._on_exit)
        self._reaping = self._loop.call_later(_REAP_EVERY_SECONDS, self._reap_orphans)

    @classmethod
    def start(cls, command: Command, *, max_line_bytes: int, mask: Callable[[str], str] = str) -> Self:
        """Start the command, in a running loop. `mask` takes the secrets out of a text before it is cut.

        Raises OSError.
        """
        process = start_leader(command.argv, cwd=command.cwd, env=command.env)
        return cls(process, max_line_bytes=max_line_bytes, mask=mask)

    @classmethod
    async def start_within(
        cls, seconds: float, command: Command, *, max_line_bytes: int, mask: Callable[[str], str] = str
    ) -> Self:
        """Start the command as `start` does; waits `seconds` at most while there are too many files or processes.

        Other children end, and make room. Raises OSError.
        """
        end = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                return cls.start(command, max_line_bytes=max_line_bytes, mask=mask)
            except OSError as problem:
                late = asyncio.get_running_loop().time() + 2 * _ROOM_SECONDS > end
                if problem.errno not in NO_ROOM or late:
                    raise
            await asyncio.sleep(_ROOM_SECONDS)

    @property
    def pid(self) -> int:
        """The process id, which is the id of its group and session too."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended: its exit code, or a signal's number negated; None while it runs."""
        return self._process.returncode

    async def write(self, line: bytes) -> None:
        """Send all of `line`, newline included; waits while the child does not read, for as long as it is let.

        A child that is gone, or has closed its stdin, is told nothing: `read_line` says what it said before.
        """
        left = memoryview(line)
        while left and self._stdin is not None:
            try:
                left = left[os.write(self._stdin.fileno(), left) :]
            except BlockingIOError:
                await self._writable(self._stdin.fileno())
            except OSError:
                self.close_stdin()

    def close_stdin(self) -> None:
        """Tell the child that nothing more will come."""
        if self._stdin is not None:
            self._loop.remove_writer(self._stdin.fileno())
            self._stdin.close()
            self._stdin = None

    async def read_line(self) -> bytes:
        """Return the next line without its newline; the last one need not have any.

        Raises ChildGoneError once the child has ended or closed its stdout and all lines were read, even if a
        process that it left behind holds the pipe, and LineTooLongError.
        """
        while (line := self._lines.take_line()) is None:
            if self._stdout.ended:
                line = self._lines.take_all()
                if line:
                    return line
                raise await self._gone()
            await self._change()
        self._stdout.resume()
        return line

    async def wait(self) -> None:
        """Wait until the child has ended, or has written more to stdout than a line may have."""
        while self.returncode is None and not self._lines.full:
            await self._change()

    def take_output(self) -> bytes:
        """Return what stands on stdout by now and was not read as lines."""
        return self._lines.take_all()

    def stderr_tail(self) -> str:
        """Return the end of what it said on stderr since `take_stderr`; where that was cut, without secrets."""
        self._stderr.drain()
        text = self._tail.read().decode(errors="replace")
        return self._mask(text)[LONGEST_SECRET:] if self._tail.cut else text

    def take_stderr(self) -> str:
        """Return the end of what it said on stderr since the last time."""
        text = self.stderr_tail()
        self._tail.clear()
        return text

    async def end(self, *, grace: float = 0.0) -> None:
        """Give the child `grace` seconds to end by itself, its stdin closed, then kill it with its family.

        May be called again, and by several at once. A cancelled call has killed all the same.
        """
        try:
            if grace > 0:
                self.close_stdin()
                await self._wait_for_exit(grace)
        finally:
            self._kill()
        await self._wait_for_exit(_REAP_SECONDS)

    def _kill(self) -> None:
        if self.returncode is None:
            kill_family(self._process)
        self._let_go()

    def _on_exit(self) -> None:
        # The group first: as long as its leader is not reaped, its number cannot be another's.
        kill_family(self._process)
        reap(self._process)
        self._let_go()
        self._changed.set()

    def _reap_orphans(self) -> None:
        reap_orphans()
        self._reaping = self._loop.call_later(_REAP_EVERY_SECONDS, self._reap_orphans)

    def _let_go(self) -> None:
        """Take what the pipes hold, and wait for no more: a process left behind may hold them open."""
        self._reaping.cancel()
        self.close_stdin()
        for pipe in (self._stdout, self._stderr):
            pipe.drain()
            pipe.close()

    async def _gone(self) -> ChildGoneError:
        await self._wait_for_exit(_EXIT_SECONDS)
        code = self.returncode
        return ChildGoneError(
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            stderr=self.stderr_tail(),
        )

    async def _wait_for_exit(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.returncode is None:
                    await self._change()

    async def _writable(self, fd: int) -> None:
        self._loop.add_writer(fd, self._changed.set)
        try:
            await self._change()
        finally:
            if self._stdin is not None:  # once closed, its number may be another pipe's
                self._loop.remove_writer(fd)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()
