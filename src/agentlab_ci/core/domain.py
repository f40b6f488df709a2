"""What a new project, or a new scenario, is about."""

from enum import StrEnum


class Domain(StrEnum):
    """A field of work that the built-in tools have records of."""

    SUPPORT = "support"
    CODING = "coding"
    RESEARCH = "research"
    OPS = "ops"
