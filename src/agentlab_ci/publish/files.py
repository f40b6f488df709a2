"""The report folder: checked before the run, filled after it."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentlab_ci.core.formats import FileFormat
from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.registry import report_formats
from agentlab_ci.settings import ReportSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFolder:
    """Where reports go. `shown` is the path as the user gave it."""

    path: Path
    shown: str

    def write(self, report: RunReport, settings: ReportSettings) -> dict[FileFormat, str]:
        """Write each asked-for report whole or not at all; returns their paths as the user would type them.

        Reports of an earlier run that this one does not write are left alone. Raises BadInputError when one cannot
        be written.
        """
        try:
            return {name: str(Path(self.shown) / file) for name, file in self._write(report, settings)}
        except OSError as problem:
            raise BadInputError(f"cannot write the reports to {self.shown}: {problem.strerror}") from problem

    def _write(self, report: RunReport, settings: ReportSettings) -> Iterator[tuple[FileFormat, str]]:
        known = report_formats(junit_style=settings.junit_style)
        for name in settings.formats:
            file_name = known[name].file_name
            _replace(self.path / file_name, known[name].render(report))
            yield name, file_name


def prepare_report_folder(cwd: Path, shown: str) -> ReportFolder:
    """Make the folder and see that it can be written to, before any agent is called.

    Raises BadInputError when it cannot.
    """
    path = cwd / shown
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as problem:
        raise BadInputError(
            f"cannot write reports to {shown}: {problem.strerror}; give another --report-dir"
        ) from problem
    return ReportFolder(path=path, shown=shown)


def _replace(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
