"""What every report file is: a name, and a pure renderer from the results."""

from collections.abc import Callable
from dataclasses import dataclass

from agentlab_ci.core.formats import FileFormat
from agentlab_ci.core.results import RunReport


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFormat:
    """A row of the registry: what `--format` calls it, the file in the report folder, and its bytes."""

    name: FileFormat
    file_name: str
    render: Callable[[RunReport], bytes]
