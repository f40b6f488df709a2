"""Runs `agentlab` in a terminal of its own, as if somebody sat there: keys go in, and what it draws comes out."""

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo import clean_environ

SECONDS = 60.0
"""What does not come in this time does not come: the test fails."""
ALTERNATE, ORDINARY = "\x1b[?1049h", "\x1b[?1049l"
"""How a program says that it draws the whole screen, and that it gives the former one back."""

WITHOUT_TEXTUAL = """
import sys
sys.modules["textual"] = None
from agentlab_ci.cli.main import main
main()
"""
"""The command where the extra is not installed."""

_TAKE_TERMINAL = "import os, sys; os.close(os.open(os.ttyname(0), os.O_RDWR)); os.execv(sys.argv[1], sys.argv[1:])"
_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\].*?(\x07|\x1b\\)|[()].|[=>78])")


@dataclass(slots=True)
class Terminal:
    """A process and the other side of its terminal; `whole` is all that was drawn so far."""

    process: subprocess.Popen[bytes]
    side: int
    modes: list[Any]
    drawn: str = ""
    whole: str = ""
    _decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8"))

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self.side, keys.encode())

    def wait_for(self, text: str) -> None:
        """Wait until the text was drawn, in one piece, since the last call of `wait_for`; fails if it never is."""
        end = time.monotonic() + SECONDS
        while text not in self.drawn:
            assert self._read(end), f"{text!r} did not come; the last that did:\n{plain(self.drawn)[-3000:]}"
        self.drawn = self.drawn.partition(text)[2]

    def end(self) -> tuple[int, str]:
        """Wait until the process has ended; returns its exit code and what is drawn since the last `wait_for`."""
        end = time.monotonic() + SECONDS
        while self._read(end):
            pass
        return self.process.wait(timeout=max(1.0, end - time.monotonic())), self.drawn

    def is_as_before(self) -> bool:
        """Tell whether the terminal's modes are those that the process found."""
        return termios.tcgetattr(self.side) == self.modes

    def _read(self, end: float) -> bool:
        """Take what is drawn next; false when nothing more can come, or nothing has until `end`."""
        if not select.select([self.side], [], [], max(0.0, end - time.monotonic()))[0]:
            return False
        try:
            read = os.read(self.side, 1 << 16)
        except OSError:  # the other side is closed
            return False
        text = self._decoder.decode(read)
        self.drawn += text
        self.whole += text
        return bool(read)


@contextmanager
def in_terminal(
    folder: Path, *args: str, environ: Mapping[str, str] | None = None, code: str | None = None, columns: int = 100
) -> Iterator[Terminal]:
    """Start the command, or Python `code` with these arguments, in a terminal of 30 lines; kill it in the end."""
    side, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    modes = termios.tcgetattr(side)
    bare = {name: value for name, value in clean_environ().items() if name not in ("CI", "NO_COLOR")}
    told = {
        "TERM": "xterm-256color",
        "TEXTUAL_ANIMATIONS": "none",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    python = ["-c", code] if code is not None else ["-m", "agentlab_ci"]
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, sys.executable, *python, *args],
        cwd=folder,
        env=bare | told | dict(environ or {}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, side, modes)
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            os.close(side)


def plain(drawn: str) -> str:
    """Return what was drawn without colours and moves of the cursor."""
    return _SEQUENCE.sub("", drawn).replace("\r\n", "\n")
