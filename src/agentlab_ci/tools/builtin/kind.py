"""What every built-in tool is: a spec, the fixture it works on, and a pure function over its records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentlab_ci.core.tool import ToolSpec
from agentlab_ci.tools.builtin.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureKind:
    """A fixture's path under a `fixtures` folder, and the type of each field that its records must have."""

    path: str
    fields: Mapping[str, type]


TYPE_NAMES: dict[type, str] = {str: "text", float: "a number", bool: "true or false", list: "a list"}
"""How people are told of a field's type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinTool:
    """A built-in tool. `arguments` are the JSON schemas of its input by name; all of them are required.

    `returns` says in a few words what comes out. `act` raises ToolFailedError when there is no result.
    """

    name: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    returns: str
    fixture: FixtureKind
    act: Callable[[Table, Mapping[str, Any]], Any]

    @property
    def spec(self) -> ToolSpec:
        """What the agent is told of it."""
        schema = {
            "type": "object",
            "properties": dict(self.arguments),
            "required": list(self.arguments),
            "additionalProperties": False,
        }
        return ToolSpec(name=self.name, description=self.description, input_schema=schema)


def text(description: str) -> Mapping[str, Any]:
    """Return the schema of an argument that is text."""
    return {"type": "string", "description": description}
