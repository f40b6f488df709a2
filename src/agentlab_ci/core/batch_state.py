"""The word for how a batch ended."""

from enum import StrEnum


class BatchState(StrEnum):
    """The batch's verdict, or that it has no end: it still runs, or was killed."""

    PASSED = "passed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    SKIPPED = "skipped"
    NO_END = "no-end"
