"""The reading ends of a child's pipes: read as they fill, into bounded memory, and never waited on."""

import asyncio
import os
from collections.abc import Callable
from typing import IO, Protocol

from agentlab_ci.processes.errors import LineTooLongError

_CHUNK = 64 << 10
_PIPE_HOLDS = 1 << 20
"""The most that an unprivileged process can make a pipe hold."""


class Sink(Protocol):
    """Where a pipe's bytes go."""

    @property
    def full(self) -> bool:
        """Whether reading has to pause."""
        ...

    def add(self, data: bytes) -> None:
        """Take what was read."""
        ...


class LineBuffer:
    """Bytes on their way to lines. Full as soon as it holds more than the longest line that is allowed."""

    def __init__(self, max_line_bytes: int) -> None:
        self._most = max_line_bytes
        self._data = bytearray()
        self._searched = 0

    @property
    def full(self) -> bool:
        """Whether a line can be taken, or will never fit."""
        return len(self._data) > self._most

    def add(self, data: bytes) -> None:
        """Take what was read."""
        self._data += data

    def take_line(self) -> bytes | None:
        """Return the next line without its newline, None if it is not complete.

        Raises LineTooLongError if it is longer than allowed, complete or not.
        """
        end = self._data.find(b"\n", self._searched)
        if (end if end >= 0 else len(self._data)) > self._most:
            raise LineTooLongError(self._most)
        if end < 0:
            self._searched = len(self._data)
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return line

    def take_all(self) -> bytes:
        """Return everything."""
        taken = bytes(self._data)
        self._data.clear()
        self._searched = 0
        return taken


class Tail:
    """The last bytes of a stream that may be endless; never full."""

    full = False

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._data = bytearray()
        self.cut = False
        """Whether bytes before these were dropped."""

    def add(self, data: bytes) -> None:
        """Take what was read."""
        self._data += data
        if len(self._data) > self._keep:
            del self._data[: -self._keep]
            self.cut = True

    def read(self) -> bytes:
        """Return what is kept."""
        return bytes(self._data)

    def clear(self) -> None:
        """Forget all of it."""
        self._data.clear()
        self.cut = False


class PipeReader:
    """Reads a pipe into its sink while the loop runs; `changed` is told of everything new."""

    def __init__(self, pipe: IO[bytes], sink: Sink, changed: Callable[[], None]) -> None:
        self._pipe = pipe
        self._fd = pipe.fileno()
        self._sink = sink
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._reading = False
        self.ended = False
        """Whether nothing more will come."""
        os.set_blocking(self._fd, False)
        self.resume()

    def resume(self) -> None:
        """Read on, once the sink has room again."""
        if not (self.ended or self._reading or self._sink.full):
            self._loop.add_reader(self._fd, self._on_readable)
            self._reading = True

    def drain(self) -> None:
        """Read what the pipe holds at this moment, even into a full sink."""
        for _ in range(_PIPE_HOLDS // _CHUNK):
            if self.ended or not self._read():
                return

    def close(self) -> None:
        """Let go of the pipe; what is in it is lost."""
        if not self.ended:
            self._pause()
            self._pipe.close()
            self.ended = True

    def _on_readable(self) -> None:
        self._read()
        if self._sink.full:
            self._pause()
        self._changed()

    def _read(self) -> bool:
        """Read once; returns whether there was something."""
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return False
        if data:
            self._sink.add(data)
        else:
            self.close()
        return bool(data)

    def _pause(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._fd)
            self._reading = False
