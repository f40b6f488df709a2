"""A file out of an artifact, which anybody may have written."""

import os
import stat
from pathlib import Path

from agentlab_ci.errors import BadInputError

MAX_RESULTS_BYTES = 32 << 20


def read_artifact(path: Path, *, shown: str) -> bytes:
    """Read a file that anybody may have written: no link, no pipe, at most `MAX_RESULTS_BYTES`.

    Raises BadInputError when it is anything else.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInputError(f"cannot read {shown}: it is not a file")
            content = file.read(MAX_RESULTS_BYTES + 1)
    except OSError as problem:
        raise BadInputError(f"cannot read {shown}: {problem.strerror}") from problem
    if len(content) > MAX_RESULTS_BYTES:
        raise BadInputError(f"cannot read {shown}: it is longer than {MAX_RESULTS_BYTES >> 20} MiB")
    return content
