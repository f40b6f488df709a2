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
    """The tool cannot be asked, whatever the agent does: its process does not start, its fixture cannot be read.

    The sample is an error (`tool_error`); the message says what to do.
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
    """What tools may use of the world. `environ` is looked up for allow lists, never handed on.

    `mask` takes the secrets out of a text: what a tool cuts, it masks first, since half a secret is not found.
    """

    environ: Mapping[str, str]
    project: Path
    mask: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """The sample that calls tools.

    `fixtures` is a folder of its own, which a setup script has had its way with; None: the run's fixtures. It is
    laid out as `fixtures/` of a project is, and was given copies of all fixtures: what it lacks has been removed.
    """

    scenario_id: str
    sample: int
    fixtures: Path | None = None


ToolboxOpener = Callable[[tuple[str, ...], ToolContext], AbstractAsyncContextManager[Toolbox]]
"""Opens the named tools for one sample; leaving it ends every process that they started."""
