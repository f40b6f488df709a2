"""The tools of one sample: what an agent asks is checked, called and timed, and always answered."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.core.tool import CallOutcome, ToolSpec
from agentlab_ci.tools.input_schema import InputSchema
from agentlab_ci.tools.interface import Tool, ToolBrokenError, ToolFailedError
from agentlab_ci.tools.plain import NotPlainError, to_plain
from agentlab_ci.tools.wording import did_you_mean

LONGEST_ERROR = 2000
"""Characters; an error that repeats what the agent sent can be as long as that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTool:
    """A tool, and what its input is held against."""

    tool: Tool
    schema: InputSchema


class SampleToolbox:
    """The tools that a scenario allows, in its order. `mask` takes secrets out of an error before it is cut."""

    def __init__(self, tools: Mapping[str, CheckedTool], *, mask: Callable[[str], str]) -> None:
        self._tools = tools
        self._mask = mask

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the agent is told of them."""
        return tuple(checked.tool.spec for checked in self._tools.values())

    async def call(self, name: str, value: Mapping[str, Any]) -> CallOutcome:
        """Answer a call, whatever it asks for. Raises ToolBrokenError, with the tool's name in its message."""
        checked = self._tools.get(name)
        if checked is None:
            return CallOutcome(
                name=name, error=self._cut(f"there is no tool `{name}`{did_you_mean(name, self._tools)}")
            )
        started = None
        try:
            given = _read_input(value)
            checked.schema.check(given)
            started = time.perf_counter()
            output = await checked.tool.call(given)
        except ToolFailedError as problem:
            return CallOutcome(name=name, error=self._cut(str(problem)), duration_ms=_ms_since(started))
        except ToolBrokenError as problem:
            raise ToolBrokenError(f"tool `{name}`: {problem}") from None
        return CallOutcome(name=name, output=output, duration_ms=_ms_since(started))

    def _cut(self, error: str) -> str:
        return error if len(error) <= LONGEST_ERROR else f"{self._mask(error)[:LONGEST_ERROR]}…"


def _read_input(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        given = to_plain(dict(value))
    except NotPlainError as problem:
        raise ToolFailedError(f"invalid input: it {problem}") from None
    return dict(given)


def _ms_since(started: float | None) -> float:
    return 0.0 if started is None else (time.perf_counter() - started) * 1000
