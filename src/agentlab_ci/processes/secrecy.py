"""Keeping the children, which run the project's code, from looking into this process."""

import sys

_PR_SET_DUMPABLE = 4


def forbid_inspection() -> None:
    """Close what `/proc` shows of this process to other processes of the same user: environment, memory, files.

    It holds for what is forked from this process, and no longer for a program that is then executed. Whoever has
    the capabilities SYS_PTRACE, SYS_ADMIN or PERFMON can still look. No core is dumped any more. Linux only;
    elsewhere it does nothing.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - not there on every system

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
