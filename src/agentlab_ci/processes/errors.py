"""How talking to a child process ends early."""

import signal as signals


class ChildGoneError(Exception):
    """The child ended, or closed its stdout, and nothing that it said is left to read.

    One of `exit_code` and `signal` is set if it ended; neither is where it only closed its stdout. `stderr` is the
    tail of what it said there.
    """

    def __init__(self, *, exit_code: int | None, signal: int | None, stderr: str) -> None:
        super().__init__(describe_end(exit_code=exit_code, signal=signal))
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = stderr


class LineTooLongError(Exception):
    """The child wrote a line that is longer than its limit, in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a line is longer than {limit} bytes")
        self.limit = limit


def describe_end(*, exit_code: int | None, signal: int | None) -> str:
    """Say how a process ended, as in `it exited with code 3`."""
    if signal is not None:
        try:
            name = f"{signals.Signals(signal).name} (signal {signal})"
        except ValueError:
            name = f"signal {signal}"
        return f"it was ended by {name}"
    if exit_code is not None:
        return f"it exited with code {exit_code}"
    return "it closed its stdout"
