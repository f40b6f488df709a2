import asyncio
import contextlib
import errno
import os
import resource
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from agentlab_ci.processes.child import Child, ChildGoneError, Command, LineTooLongError, kill_orphans
from agentlab_ci.processes.starting import explain_start_failure
from children import FOR_EVER, is_alive, survivors, wait_until_gone

DEADLINE = 20.0
"""Seconds after which a test is stuck."""


@pytest.fixture(autouse=True)
def _nothing_survives(tmp_path: Path) -> Iterator[None]:
    yield
    kill_orphans()
    assert survivors(tmp_path) == []


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within_deadline() -> None:
        async with asyncio.timeout(DEADLINE):
            await test()

    asyncio.run(within_deadline())


def shell(script: str, folder: Path) -> Command:
    """A shell script; its folder is the marker of all that it starts."""
    return Command(argv=("/bin/sh", "-c", script, str(folder)), cwd=folder, env={"PATH": os.environ["PATH"]})


def sleeper(folder: Path, before: str = "") -> str:
    """Shell words that start a process which ends by no means of its own."""
    return f"{before} {FOR_EVER[0]} -c '{FOR_EVER[2]}' {folder} &"


async def read_all(child: Child) -> tuple[list[bytes], ChildGoneError]:
    lines = []
    while True:
        try:
            lines.append(await child.read_line())
        except ChildGoneError as gone:
            return lines, gone


@pytest.mark.parametrize(
    ("script", "lines", "end"),
    [
        ("echo a; echo b", [b"a", b"b"], (0, None)),
        ("echo a; printf b", [b"a", b"b"], (0, None)),
        ("echo; exit 3", [b""], (3, None)),
        ("printf a; kill -9 $$", [b"a"], (None, 9)),
        ("exec >&-; sleep 0; exit 4", [], (4, None)),
    ],
)
def test_a_child_is_read_to_its_end(
    script: str, lines: list[bytes], end: tuple[int | None, int | None], tmp_path: Path
) -> None:
    async def test() -> None:
        child = Child.start(shell(script, tmp_path), max_line_bytes=100)
        read, gone = await read_all(child)
        assert (read, gone.exit_code, gone.signal) == (lines, *end)
        await child.end()

    run(test)


def test_the_end_is_seen_where_a_process_left_behind_holds_the_pipes(tmp_path: Path) -> None:
    async def test() -> None:
        script = "echo a; " + sleeper(tmp_path) + sleeper(tmp_path, "setsid") + " printf b; echo oops >&2"
        child = Child.start(shell(script, tmp_path), max_line_bytes=100)
        lines, gone = await read_all(child)
        assert lines == [b"a", b"b"]
        assert (gone.exit_code, gone.stderr) == (0, "oops\n")
        await child.end()
        assert wait_until_gone(tmp_path)

    run(test)


def test_without_pidfd_the_end_is_seen_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int) -> NoReturn:
        raise OSError(errno.ENOSYS, "not here")

    monkeypatch.setattr(os, "pidfd_open", refuse)

    async def test() -> None:
        child = Child.start(shell(sleeper(tmp_path) + " echo a; exit 3", tmp_path), max_line_bytes=100)
        lines, gone = await read_all(child)
        assert (lines, gone.exit_code) == ([b"a"], 3)
        await child.end()
        stuck = Child.start(shell(sleeper(tmp_path, "setsid") + " cat", tmp_path), max_line_bytes=100)
        await stuck.end()
        assert stuck.returncode == -9

    run(test)


def test_lines_go_in_and_out(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("cat", tmp_path), max_line_bytes=2 << 20)
        for line in (b"a", b"", b"x" * (1 << 20)):
            await child.write(line + b"\n")
            assert await child.read_line() == line
        child.close_stdin()
        assert (await read_all(child))[0] == []
        await child.end()

    run(test)


def test_what_a_child_is_told_too_late_is_lost_without_an_error(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("exec <&-; echo last", tmp_path), max_line_bytes=100)
        await child.write(b"x" * (1 << 20))
        assert await child.read_line() == b"last"
        await child.write(b"x")
        with pytest.raises(ChildGoneError):
            await child.read_line()
        await child.write(b"x")
        await child.end()

    run(test)


def test_writing_waits_while_the_child_does_not_read_and_can_be_given_up(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell(sleeper(tmp_path) + " wait", tmp_path), max_line_bytes=100)
        writing = asyncio.create_task(child.write(b"x" * (1 << 20)))
        done, _ = await asyncio.wait([writing], timeout=0.05)
        assert not done
        writing.cancel()
        await asyncio.wait([writing])
        await child.end()

    run(test)


def test_a_flood_fills_no_memory(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("yes | tr -d '\\n'", tmp_path), max_line_bytes=1000)
        with pytest.raises(LineTooLongError):
            await child.read_line()
        await child.wait()
        assert len(child.take_output()) < 1 << 20
        await child.end()

    run(test)


def test_a_paused_child_is_read_on_once_there_is_room(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("seq 100000", tmp_path), max_line_bytes=10)
        lines, gone = await read_all(child)
        assert lines == [str(number).encode() for number in range(1, 100_001)]
        assert gone.exit_code == 0
        await child.end()

    run(test)


def test_stderr_is_read_though_nobody_asks_and_its_end_is_kept(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("seq 100000 >&2; echo done; read x", tmp_path), max_line_bytes=100)
        assert await child.read_line() == b"done"
        tail = child.take_stderr()
        assert tail.endswith("\n99999\n100000\n")
        assert len(tail) == 8 << 10
        assert child.take_stderr() == ""
        await child.end()

    run(test)


@pytest.mark.parametrize("grace", [0.0, 0.05])
def test_a_child_that_will_not_end_is_killed_with_all_that_it_started(grace: float, tmp_path: Path) -> None:
    deeper = f'setsid sh -c "{sleeper(tmp_path)} wait" {tmp_path} &'
    script = f"trap '' TERM HUP INT; {sleeper(tmp_path)} {deeper} echo up; wait"

    async def test() -> None:
        child = Child.start(shell(script, tmp_path), max_line_bytes=100)
        await child.read_line()
        await child.end(grace=grace)
        assert child.returncode == -9
        assert not is_alive(child.pid)
        await child.end(grace=grace)

    run(test)


def test_a_child_that_ends_within_its_grace_is_not_killed(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell("cat; exit 5", tmp_path), max_line_bytes=100)
        await child.end(grace=DEADLINE)
        assert child.returncode == 5

    run(test)


def test_ending_may_be_cancelled_and_has_killed_then(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child.start(shell(sleeper(tmp_path) + " wait", tmp_path), max_line_bytes=100)
        ending = asyncio.create_task(child.end(grace=DEADLINE))
        await asyncio.sleep(0)
        ending.cancel()
        await asyncio.wait([ending])
        assert ending.cancelled()
        await child.wait()
        assert child.returncode == -9

    run(test)


def test_a_child_is_alone_in_its_session_and_holds_nothing_of_ours(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)

    async def test() -> None:
        look = "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid(), os.listdir('/proc/self/fd'))"
        command = Command(argv=(sys.executable, "-c", look), cwd=tmp_path, env={})
        child = Child.start(command, max_line_bytes=1000)
        alone, _, fds = (await child.read_line()).partition(b" ")
        assert alone == b"True"
        assert str(writing).encode() not in fds.replace(b"'", b"").strip(b"[]").split(b", ")
        await child.end()

    run(test)
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("argv", [("no-such-program",), ("",), ("a\0b",), ("\ud800",), ("/",)])
def test_a_command_that_cannot_start_is_an_os_error(argv: tuple[str, ...], tmp_path: Path) -> None:
    async def test() -> None:
        with pytest.raises(OSError):  # noqa: PT011 - any of them
            Child.start(Command(argv=argv, cwd=tmp_path, env={}), max_line_bytes=100)

    run(test)


@contextmanager
def no_file_left() -> Iterator[list[int]]:
    """Take every file that this process may open, until the list is emptied or the block is left."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.dup(0))
        yield taken
    finally:
        give_back(taken)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def give_back(taken: list[int]) -> None:
    while taken:
        os.close(taken.pop())


def test_a_child_that_finds_no_room_starts_once_there_is_some(tmp_path: Path) -> None:
    async def test() -> None:
        command = shell("echo up", tmp_path)
        with no_file_left() as taken:
            starting = asyncio.create_task(Child.start_within(DEADLINE, command, max_line_bytes=100))
            done, _ = await asyncio.wait([starting], timeout=0.05)
            assert not done
            give_back(taken)
            child = await starting
        assert await child.read_line() == b"up"
        await child.end()

    run(test)


def test_where_there_is_no_room_for_good_that_is_said(tmp_path: Path) -> None:
    async def test() -> None:
        command = shell("echo up", tmp_path)
        with no_file_left(), pytest.raises(OSError, match="Too many open files") as caught:
            await Child.start_within(0.2, command, max_line_bytes=100)
        told = explain_start_failure(command, caught.value)
        assert told.startswith("`/bin/sh` did not start: Too many open files; let fewer samples run at once")

    run(test)


def test_no_command_is_tried_twice_that_is_not_there(tmp_path: Path) -> None:
    async def test() -> None:
        with pytest.raises(FileNotFoundError):
            await Child.start_within(
                10 * DEADLINE, Command(argv=("no-such-program",), cwd=tmp_path, env={}), max_line_bytes=100
            )

    run(test)
