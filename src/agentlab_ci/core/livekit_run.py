"""The document that `lk agent simulate export RUN` prints, as far as agentlab reads it.

It is JSON made of protocol buffers under the names of their definition: what is zero, empty or false is left out,
64-bit numbers may be text, and a later version may add fields, which are kept.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from agentlab_ci.core.model import Rate
from agentlab_ci.core.trace import Record

MAX_ENTRIES = 20_000
"""How many jobs, and how many scenarios, a run may have."""
MAX_ITEMS = 10_000
"""How many items may be said and called in one job."""
COMPLETED, FAILED, CANCELLED = "COMPLETED", "FAILED", "CANCELLED"
"""How runs and jobs end."""
PENDING, RUNNING = "PENDING", "RUNNING"
"""What a job is that has not ended."""
STATUS_PREFIX = "STATUS_"
KEPT = "livekit"
"""The key under which an imported run, scenario or sample keeps what results.json has no place for."""


def _read_integer(value: object) -> object:
    """Take a 64-bit number in its form as text."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii() and len(value) <= 20:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise PydanticCustomError("livekit_integer", "should be a whole number")


def _read_version(value: object) -> object:
    """Take the number alone: to Python, `true` and `1.0` are 1 too."""
    if type(value) is not int or value != 1:
        raise PydanticCustomError("livekit_version", "is of another version; this agentlab reads version 1")
    return value


def _read_status(value: object) -> object:
    """Return the status without its prefix, in capitals; one that has no name is a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip().upper().rpartition(STATUS_PREFIX)[2] if isinstance(value, str) else value


def _read_moment(value: object) -> object:
    """Keep a time as it was written: RFC 3339, or a number since 1970."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _read_pass_rate(value: object) -> object:
    """Zero is how a rate looks that nobody gave."""
    return None if value in (0, "0", "") and not isinstance(value, bool) else value


Integer = Annotated[int, BeforeValidator(_read_integer)]
Status = Annotated[str, BeforeValidator(_read_status)]
Moment = Annotated[str, BeforeValidator(_read_moment)]


class Part(Record):
    """A part of the document; a field that is null is one that is not there."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: object) -> object:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data


class Scenario(Part):
    """A scenario of the run's group; `userdata` is JSON as text."""

    id: str = ""
    label: str = ""
    instructions: str = ""
    agent_expectations: str = ""
    tags: dict[str, str] = Field(default_factory=dict)
    userdata: str = ""


class ScenarioGroup(Part):
    """The scenarios of a run, in their order."""

    id: str = ""
    name: str = ""
    scenarios: tuple[Scenario, ...] = Field((), max_length=MAX_ENTRIES)


class Sampling(Part):
    """How often each scenario is run, and the share of samples that must pass."""

    samples: Integer = 0
    pass_rate: Annotated[Rate | None, BeforeValidator(_read_pass_rate)] = None


class Job(Part):
    """One run of one scenario; `sample` counts from 1, 0 in a plain run. `error` is the judge's reason too."""

    id: str = ""
    status: Status = PENDING
    label: str = ""
    instructions: str = ""
    agent_expectations: str = ""
    error: str = ""
    scenario_id: str = ""
    sample: Integer = 0
    started_at: Moment = ""
    ended_at: Moment = ""


class Run(Part):
    """A run with its jobs, which come in any order; `sampling` is None in a plain run.

    A count that is 0 is one that is not known: zeros are left out.
    """

    id: str = ""
    status: Status = ""
    error: str = ""
    created_at: Moment = ""
    ended_at: Moment = ""
    job_count: Integer = 0
    passed_count: Integer = 0
    failed_count: Integer = 0
    sampling: Sampling | None = None
    scenario_group: ScenarioGroup = ScenarioGroup()
    jobs: tuple[Job, ...] = Field((), max_length=MAX_ENTRIES)


class ChatHistory(Part):
    """What was said in one job, item by item; `loading.livekit_history` knows the kinds of items."""

    items: tuple[dict[str, Any], ...] = Field((), max_length=MAX_ITEMS)


class RunSummary(Part):
    """What LiveKit makes of the run as a whole; `chat_history` is by job id. Counts are as those of the run."""

    passed: Integer = 0
    failed: Integer = 0
    chat_history: dict[str, ChatHistory] = Field(default_factory=dict)


class LivekitExport(Part):
    """The whole document."""

    version: Annotated[Literal[1], BeforeValidator(_read_version)]
    run: Run
    summary: RunSummary = RunSummary()
