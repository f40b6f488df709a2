"""The files that a run can write, and the shapes that JUnit can take."""

from enum import StrEnum


class FileFormat(StrEnum):
    """A file in the report folder."""

    MARKDOWN = "md"
    JUNIT = "junit"
    JSON = "json"


class JUnitStyle(StrEnum):
    """What a testcase is: one sample, or one scenario with its samples as reruns."""

    SAMPLES = "samples"
    SCENARIOS = "scenarios"
