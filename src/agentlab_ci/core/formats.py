"""The files that a run can write, the shapes that JUnit can take, and how a comparison is printed."""

from enum import StrEnum


class FileFormat(StrEnum):
    """A file in the report folder."""

    MARKDOWN = "md"
    JUNIT = "junit"
    JSON = "json"
    HTML = "html"


DEFAULT_FORMATS = (FileFormat.MARKDOWN, FileFormat.JUNIT, FileFormat.JSON)
"""What is written where nobody asks for others."""


class JUnitStyle(StrEnum):
    """What a testcase is: one sample, or one scenario with its samples as reruns."""

    SAMPLES = "samples"
    SCENARIOS = "scenarios"


class CompareFormat(StrEnum):
    """How `compare` prints."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
