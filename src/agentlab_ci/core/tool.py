"""What agents and tools say to each other in a task: pure data, the same for every provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What an agent is told of a tool. `input_schema` is the JSON schema of its input, always of an object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBrief:
    """What an agent is told of its job. `max_steps` are the turns that it may take, the final answer included.

    `forbidden` it is not told: tools that it may not so much as try to call. A provider that gives tools other
    names takes the name that it would give one of these for that tool.
    """

    instructions: str
    tools: tuple[ToolSpec, ...]
    variables: Mapping[str, Any] = field(default_factory=dict)
    max_steps: int = 8
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A tool that the agent wants called.

    `invalid` says why what came as its input cannot be read: `input` is empty then, and the agent is told of it as
    of any other error of a tool.
    """

    name: str
    input: Mapping[str, Any]
    invalid: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What came of a call, as the agent is told it: the result, or in `error` why there is none.

    `output` is plain JSON data. `duration_ms` is 0 for a call that was not allowed to start. `fault` names the
    runtime profile's fault that made the outcome.
    """

    name: str
    output: Any = None
    error: str | None = None
    duration_ms: float = 0.0
    fault: str | None = None
