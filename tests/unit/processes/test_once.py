import asyncio
import os
from pathlib import Path

import pytest

from agentlab_ci.processes.child import Command, kill_orphans
from agentlab_ci.processes.endings import BEGINNING_LEFT_OUT, KEPT_BYTES
from agentlab_ci.processes.once import Finished, run_once
from children import survivors

LATE, SOON = 20.0, 0.2


def once(script: str, folder: Path, *, stdin: bytes = b"", timeout: float = LATE) -> Finished:
    command = Command(argv=("/bin/sh", "-c", script, str(folder)), cwd=folder, env={"PATH": os.environ["PATH"]})
    finished = asyncio.run(run_once(command, stdin, timeout=timeout, max_bytes=2 << 20))
    kill_orphans()
    assert survivors(folder) == []
    return finished


@pytest.mark.parametrize("size", [0, 1, 2 << 20])
def test_what_goes_in_comes_out(size: int, tmp_path: Path) -> None:
    finished = once("cat; echo note >&2", tmp_path, stdin=b"x" * size)
    assert finished == Finished(
        exit_code=0, signal=None, stdout=b"x" * size, stderr="note\n", timed_out=False, truncated=False
    )


@pytest.mark.parametrize(
    ("script", "end"),
    [("exit 3", (3, None)), ("kill -15 $$", (None, 15)), ("exec <&-; exit 4", (4, None)), (":", (0, None))],
)
def test_how_it_ended_is_told_though_it_did_not_read(
    script: str, end: tuple[int | None, int | None], tmp_path: Path
) -> None:
    finished = once(script, tmp_path, stdin=b"x" * (1 << 20))
    assert (finished.exit_code, finished.signal) == end


@pytest.mark.parametrize(
    "script", ["echo a; read x; exec sleep 1000000", "trap '' TERM; echo a; while :; do :; done"]
)
def test_one_that_does_not_end_is_killed_in_time(script: str, tmp_path: Path) -> None:
    finished = once(script, tmp_path, timeout=SOON)
    assert finished.timed_out
    assert (finished.exit_code, finished.signal, finished.stdout) == (None, None, b"a\n")


def test_one_that_says_too_much_is_killed_and_cut(tmp_path: Path) -> None:
    finished = once("yes", tmp_path)
    assert (finished.truncated, finished.timed_out, finished.exit_code) == (True, False, None)
    assert finished.stdout == b"y\n" * (1 << 20)


def test_one_that_leaves_a_process_at_its_pipes_has_ended_all_the_same(tmp_path: Path) -> None:
    finished = once("sleep 1000000 & echo a", tmp_path)
    assert (finished.exit_code, finished.stdout, finished.timed_out) == (0, b"a\n", False)


def test_of_what_it_says_on_stderr_the_last_lines_are_kept(tmp_path: Path) -> None:
    finished = once("seq 9999 >&2; echo last >&2", tmp_path)
    assert finished.stderr.startswith(BEGINNING_LEFT_OUT)
    assert finished.stderr.endswith("\n9998\n9999\nlast\n")
    assert len(finished.stderr.encode()) <= KEPT_BYTES
