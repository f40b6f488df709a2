"""Every built-in tool by its name, and where in a project the fixtures are that replace the shipped ones."""

from agentlab_ci.tools.builtin import coding, ops, research, support
from agentlab_ci.tools.builtin.kind import BuiltinTool
from agentlab_ci.tools.fixture_file import FixtureError, read_records
from agentlab_ci.tools.input_schema import find_schema_faults

__all__ = ["BUILTIN_TOOLS", "FIXTURE_OF", "FixtureError", "find_schema_faults", "read_records"]

BUILTIN_TOOLS: dict[str, BuiltinTool] = {
    tool.name: tool for domain in (support, coding, research, ops) for tool in domain.KINDS
}

FIXTURE_OF: dict[str, str] = {name: f"fixtures/{tool.fixture.path}" for name, tool in BUILTIN_TOOLS.items()}
"""Tool name to the fixture's path in a project; a file of that path replaces the shipped one."""
