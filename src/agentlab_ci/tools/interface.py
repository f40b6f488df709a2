"""What every tool is: a spec that agents are shown, and a call that one sample makes of it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from agentlab_ci.core.tool import CallOutcome, ToolSpec


class ToolFailedError(Exception):
    """The tool has no result: no such record, bad input, its own error. The agent is told the message."""


class ToolBrokenError(Exception):
    """The tool could not be asked, and not by the agent: its process did not start, or died.

    The sample is an error (`tool_error`).
    """


class Tool(Protocol):
    """A tool of one sample, with whatever state it has there."""

    @property
    def spec(self) -> ToolSpec:
        """What the agent is told of it."""
        ...

    async def call(self, value: Mapping[str, Any]) -> Any:
        """Return the result of a call whose input has been checked against the schema, as plain JSON data.

        The caller may keep and change what it gets. Raises ToolFailedError and ToolBrokenError.
        """
        ...


class Toolbox(Protocol):
    """The tools that one sample may use."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the agent is told, in the order in which the scenario allows them."""
        ...

    async def call(self, name: str, value: Mapping[str, Any]) -> CallOutcome:
        """Call an allowed tool; what it refuses, and input that does not fit its schema, is an outcome.

        Raises ToolBrokenError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWorld:
    """What tools may use of the world. `environ` is looked up for allow lists, never handed on."""

    environ: Mapping[str, str]
    project: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a project's own tool is told of the sample that calls it."""

    scenario_id: str
    sample: int


ToolboxOpener = Callable[[tuple[str, ...], ToolContext], AbstractAsyncContextManager[Toolbox]]
"""Opens the named tools for one sample; leaving it ends every process that they started."""
