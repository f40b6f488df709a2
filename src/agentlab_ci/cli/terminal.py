"""Whether there is a terminal to draw on."""

import os
import sys
from collections.abc import Mapping


def has_terminal(environ: Mapping[str, str]) -> bool:
    """Whether our three streams are a terminal that can be drawn on, and we are what it shows just now.

    stderr is among them, since it is where the view is drawn.
    """
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if environ.get("TERM", "dumb") == "dumb" or not all(
        stream is not None and stream.isatty() for stream in streams
    ):
        return False
    return not _in_background()


def _in_background() -> bool:
    """Tell whether a shell runs us with `&`: drawing would stop us."""
    try:
        shown = os.tcgetpgrp(sys.stdin.fileno())
    except OSError:  # not our controlling terminal: nothing stops us
        return False
    return shown not in (0, os.getpgrp())  # 0 is a group that we cannot see, as from inside a container
