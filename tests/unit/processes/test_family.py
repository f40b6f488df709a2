import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentlab_ci.processes.child import Child, Command
from agentlab_ci.processes.family import kill_orphans, reap_orphans
from agentlab_ci.processes.process_table import read_process, read_processes
from children import FOR_EVER, survivors, wait_until_gone

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where /proc tells who is whose")


LEAVER = """
import resource, subprocess, sys
if sys.argv.pop(1) == "unmarked":
    resource.setrlimit(resource.RLIMIT_RTTIME, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
nothing = subprocess.DEVNULL
subprocess.Popen(sys.argv[1:], start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing)
"""


def leaver(folder: Path, *, marked: bool = True) -> Command:
    """A command that leaves a process behind which nobody would look for among its own."""
    how = "marked" if marked else "unmarked"
    return Command(argv=(sys.executable, "-c", LEAVER, how, *FOR_EVER, str(folder)), cwd=folder, env={})


async def run_to_its_end(command: Command) -> None:
    child = Child.start(command, max_line_bytes=100)
    await child.wait()
    await child.end()


def test_what_left_its_family_ends_with_the_child_that_started_it(tmp_path: Path) -> None:
    async def run() -> None:
        argv = (sys.executable, "-c", "import sys; sys.stdin.read()", str(tmp_path / "first"))
        first = Child.start(Command(argv=argv, cwd=tmp_path, env={}), max_line_bytes=100)
        await run_to_its_end(leaver(tmp_path))
        assert wait_until_gone(f"{FOR_EVER[2]} {tmp_path}")
        assert len(survivors(tmp_path / "first")) == 1
        await first.end()

    asyncio.run(run())


def test_without_a_mark_it_ends_with_the_last_child_that_may_have_started_it(tmp_path: Path) -> None:
    async def run() -> None:
        argv = ("/bin/sh", "-c", "read x")
        first = Child.start(Command(argv=argv, cwd=tmp_path, env={}), max_line_bytes=100)
        await run_to_its_end(leaver(tmp_path, marked=False))
        assert len(survivors(tmp_path)) == 1, "it may be the first child's"
        await first.end()

    asyncio.run(run())
    assert wait_until_gone(tmp_path)


def test_what_left_its_family_is_gone_at_the_end_of_the_run(tmp_path: Path) -> None:
    async def run() -> None:
        argv = (*FOR_EVER, str(tmp_path))
        first = Child.start(Command(argv=argv, cwd=tmp_path, env={}), max_line_bytes=100)
        await run_to_its_end(leaver(tmp_path, marked=False))
        assert len(survivors(tmp_path)) == 2
        kill_orphans()
        assert survivors(tmp_path) == []
        await first.end()

    asyncio.run(run())


def test_children_that_nobody_ended_are_killed_at_the_end_of_the_run(tmp_path: Path) -> None:
    async def start() -> Child:
        argv = (*FOR_EVER, str(tmp_path))
        return Child.start(Command(argv=argv, cwd=tmp_path, env={}), max_line_bytes=100)

    child = asyncio.run(start())
    kill_orphans()
    assert child.returncode == -9
    assert survivors(tmp_path) == []
    for pipe in (child._process.stdin, child._process.stdout, child._process.stderr):
        assert pipe is not None
        pipe.close()  # the loop that read them is gone


def test_helpers_of_our_own_are_spared(tmp_path: Path) -> None:
    helper = subprocess.Popen([*FOR_EVER, str(tmp_path)])
    try:
        asyncio.run(run_to_its_end(leaver(tmp_path)))
        kill_orphans()
        assert helper.poll() is None
        assert len(survivors(tmp_path)) == 1
    finally:
        helper.kill()
        helper.wait()


def test_a_process_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    name = "a ) R 1 (b"
    (tmp_path / name).symlink_to("/bin/sleep")
    with subprocess.Popen([tmp_path / name, "1000000"]) as process:
        try:
            # its name is what the kernel says once the program is loaded, which is when Popen returns
            entry = read_process(process.pid)
            assert entry is not None
            assert (entry.pid, entry.parent, entry.session) == (process.pid, os.getpid(), os.getsid(0))
            assert entry in read_processes()
        finally:
            process.kill()
    assert read_process(process.pid) is None


ORPHANS = """
import os, sys
for _ in range(30):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
print("done", flush=True)
sys.stdin.read()
"""


def zombies() -> int:
    return sum(entry.zombie and entry.parent == os.getpid() for entry in read_processes())


def test_orphans_that_ended_are_reaped_while_the_child_lives(tmp_path: Path) -> None:
    async def run() -> None:
        command = Command(argv=(sys.executable, "-c", ORPHANS), cwd=tmp_path, env={})
        child = Child.start(command, max_line_bytes=100)
        assert await child.read_line() == b"done"
        async with asyncio.timeout(20):
            while zombies() > 0:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0)
        assert child.returncode is None
        await child.end()

    asyncio.run(run())


def test_helpers_of_our_own_are_not_reaped(tmp_path: Path) -> None:
    asyncio.run(run_to_its_end(leaver(tmp_path)))
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]) as helper:
        os.waitid(os.P_PID, helper.pid, os.WEXITED | os.WNOWAIT)
        reap_orphans()
        assert helper.wait() == 7
