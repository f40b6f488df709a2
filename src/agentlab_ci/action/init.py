"""Process 1 of the container: it hands signals on and reaps what nobody else waits for.

An agent or a tool may leave children behind. Their parent becomes process 1, and if that does not wait for them
they stay as zombies until the job ends. The work itself cannot do it: waiting for any child would take those that
`subprocess` waits for.

It has the environment of the work, secrets included, so it is closed to the agents as the work is.
"""

import contextlib
import os
import signal
from types import FrameType

from agentlab_ci.processes.secrecy import forbid_inspection

_HANDED_ON = (signal.SIGINT, signal.SIGTERM)


def become_init() -> None:
    """As process 1, fork: the child returns and does the work; the parent ends with the child's exit code.

    Any other process returns at once. Call it before there are threads.
    """
    if os.getpid() == 1:
        split()


def split() -> None:
    """Fork, whatever the process id. Signals that come before the child can take them are kept until it can."""
    forbid_inspection()
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDED_ON)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
        return

    def hand_on(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(child, number)

    for number in _HANDED_ON:
        signal.signal(number, hand_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
    os._exit(_reap_until(child))


def _reap_until(child: int) -> int:
    """Wait for whatever ends until `child` does; return its exit code, 128 and more when a signal ended it."""
    while True:
        process, status = os.wait()
        if process == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
