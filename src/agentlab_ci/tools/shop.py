"""All tools of a run, and those of them that a sample may use."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import ToolSpec
from agentlab_ci.tools.builtin_tool import SampleTables, TableTool
from agentlab_ci.tools.command_tool import CommandTool
from agentlab_ci.tools.fixture_folder import FixtureFolder, SampleFixtures
from agentlab_ci.tools.input_schema import InputSchema, closed
from agentlab_ci.tools.interface import Tool, Toolbox, ToolContext, ToolWorld
from agentlab_ci.tools.python_tool import PythonTool
from agentlab_ci.tools.registry import BUILTIN_TOOLS
from agentlab_ci.tools.toolbox import CheckedTool, SampleToolbox


class Shop:
    """All tools of a run. Each name that it is asked for must be a tool's."""

    def __init__(self, tools: Iterable[CustomTool], world: ToolWorld) -> None:
        self._own = {tool.name: tool for tool in tools}
        self._world = world
        self._fixtures = FixtureFolder(world.project / "fixtures")
        self._specs = {name: tool.spec for name, tool in BUILTIN_TOOLS.items()}
        self._specs |= {name: _spec_of(tool) for name, tool in self._own.items()}
        self._schemas = {name: InputSchema(spec.input_schema) for name, spec in self._specs.items()}

    @asynccontextmanager
    async def open_toolbox(self, names: tuple[str, ...], context: ToolContext) -> AsyncIterator[Toolbox]:
        """Open the tools that one sample may use."""
        fixtures = self._fixtures if context.fixtures is None else FixtureFolder(context.fixtures, whole=True)
        async with AsyncExitStack() as stack:
            sample = _Sample(
                context=context,
                tables=SampleTables(fixtures),
                fixtures=SampleFixtures(context.fixtures, self._world.project),
                stack=stack,
            )
            stack.push_async_callback(sample.fixtures.remove)
            tools = {
                name: CheckedTool(tool=self._open(name, sample), schema=self._schemas[name]) for name in names
            }
            yield SampleToolbox(tools, mask=self._world.mask)

    def _open(self, name: str, sample: "_Sample") -> Tool:
        spec, own = self._specs[name], self._own.get(name)
        if own is None:
            return TableTool(BUILTIN_TOOLS[name], spec, sample.tables)
        if own.command is not None:
            return CommandTool(own.command, own, spec, self._world)
        tool = PythonTool(own, spec, self._world, sample.context, sample.fixtures)
        sample.stack.push_async_callback(tool.aclose)
        return tool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """What the tools of one sample share; `stack` closes what they hold."""

    context: ToolContext
    tables: SampleTables
    fixtures: SampleFixtures
    stack: AsyncExitStack


def _spec_of(tool: CustomTool) -> ToolSpec:
    return ToolSpec(name=tool.name, description=tool.description, input_schema=closed(tool.input_schema))
