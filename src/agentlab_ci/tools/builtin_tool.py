"""A built-in tool in one sample, and the records that the tools of the sample share."""

from collections.abc import Mapping
from typing import Any

from agentlab_ci.core.tool import ToolSpec
from agentlab_ci.tools.builtin.kind import BuiltinTool, FixtureKind
from agentlab_ci.tools.builtin.table import Table
from agentlab_ci.tools.fixture_folder import FixtureFolder
from agentlab_ci.tools.plain import to_plain


class SampleTables:
    """The state of one sample: a table of each fixture, made when a tool first asks for it."""

    def __init__(self, fixtures: FixtureFolder) -> None:
        self._fixtures = fixtures
        self._tables: dict[str, Table] = {}

    def table_of(self, fixture: FixtureKind) -> Table:
        """Return the sample's table. Raises ToolBrokenError for a fixture that cannot be read."""
        if fixture.path not in self._tables:
            self._tables[fixture.path] = Table(self._fixtures.records(fixture))
        return self._tables[fixture.path]


class TableTool:
    """A built-in tool on the tables of one sample."""

    def __init__(self, kind: BuiltinTool, spec: ToolSpec, tables: SampleTables) -> None:
        self.spec = spec
        self._kind = kind
        self._tables = tables

    async def call(self, value: Mapping[str, Any]) -> Any:
        """Return a copy of what the tool finds or does; the records themselves belong to all samples."""
        return to_plain(self._kind.act(self._tables.table_of(self._kind.fixture), value))
