"""A child that is asked once: everything in on stdin, everything out on stdout, and then it ends."""

import asyncio
from dataclasses import dataclass

from agentlab_ci.processes.child import Child, Command
from agentlab_ci.processes.endings import keep_last_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How it went. `exit_code` is None unless the child ended by itself and by no signal.

    `timed_out`: it did not end in time; `truncated`: it wrote more than was allowed. Either way it was killed.
    """

    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: str
    timed_out: bool
    truncated: bool


async def run_once(command: Command, stdin: bytes, *, timeout: float, max_bytes: int) -> Finished:  # noqa: ASYNC109 - the result says so
    """Start the command, give it `stdin`, and wait until it ends, for `timeout` seconds at most.

    Of its stderr the last lines are kept. Raises OSError if it does not start.
    """
    end = asyncio.get_running_loop().time() + timeout
    child = await Child.start_within(timeout, command, max_line_bytes=max_bytes)
    timed_out = False
    try:
        async with asyncio.timeout_at(end) as deadline:
            await child.write(stdin)
            child.close_stdin()
            await child.wait()
    except TimeoutError:
        if not deadline.expired():
            raise
        timed_out = True
    finally:
        code = child.returncode
        await child.end()
    stdout = child.take_output()
    return Finished(
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        stdout=stdout[:max_bytes],
        stderr=keep_last_lines(child.stderr_tail()),
        timed_out=timed_out,
        truncated=len(stdout) > max_bytes,
    )
