"""A shell in tmux, a terminal that somebody could sit at: keys go in, and its screen is read as it is seen."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo import clean_environ

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Tmux:
    """A shell, the command `agentlab` in it, and the screen around both."""

    socket: Path

    def press(self, *keys: str) -> None:
        """Press keys by their names, such as `q`, `Enter` or `C-z`."""
        self._tmux("send-keys", *keys)

    def type(self, line: str) -> None:
        """Type a line into the shell."""
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the window."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    @property
    def screen(self) -> list[str]:
        """What is seen, line by line."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").splitlines()]

    def wait_for(self, text: str) -> list[str]:
        """Wait until the text is seen, and return the screen; fails if it never is."""
        return self.wait_until(lambda screen: any(text in line for line in screen), text)

    def wait_until(self, seen: Callable[[list[str]], bool], what: str) -> list[str]:
        """Wait until the screen is so, and return it; fails if it never is."""
        end = time.monotonic() + SECONDS
        while not seen(screen := self.screen):
            assert time.monotonic() < end, f"{what} is not seen:\n" + "\n".join(screen)
            time.sleep(0.02)
        return screen

    def _tmux(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", os.devnull, *args], capture_output=True, text=True, check=True
        )
        return done.stdout


def has_tmux() -> bool:
    """Tell whether tmux is installed."""
    return shutil.which("tmux") is not None


@contextmanager
def in_tmux(folder: Path, *, columns: int = 100, lines: int = 30) -> Iterator[Tmux]:
    """Start a shell in `folder`; its prompt is `$ `, and `agentlab` is the command."""
    tmux = Tmux(folder / "tmux")
    path = os.pathsep.join(filter(None, sys.path))
    command = f'agentlab() {{ PYTHONPATH={shlex.quote(path)} {shlex.quote(sys.executable)} -m agentlab_ci "$@"; }}'
    (folder / "shellrc").write_text(f"PS1='$ '\n{command}\n", encoding="utf-8")
    kept = {name: value for name, value in clean_environ().items() if name not in ("CI", "NO_COLOR", "TMUX")}
    size = ["-x", str(columns), "-y", str(lines)]
    shell = ["bash", "--noprofile", "--rcfile", str(folder / "shellrc"), "-i"]
    subprocess.run(
        ["tmux", "-S", str(tmux.socket), "-f", os.devnull, "new-session", "-d", *size, *shell],
        cwd=folder,
        env=kept | {"LC_ALL": "C.UTF-8"},
        check=True,
    )
    try:
        tmux.wait_for("$")
        yield tmux
    finally:
        subprocess.run(["tmux", "-S", str(tmux.socket), "kill-server"], check=False, capture_output=True)
