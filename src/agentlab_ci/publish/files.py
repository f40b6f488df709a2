"""The report folder: checked before the run, filled after it."""

import contextlib
import os
import tempfile
from collections.abc import Mapping
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

    def write(self, report: RunReport, settings: ReportSettings) -> "Written":
        """Write each asked-for report whole or not at all, the others also when one cannot be written.

        Reports of an earlier run that this one does not write are left alone.
        """
        known = report_formats(junit_style=settings.junit_style)
        paths, problems = {}, []
        with contextlib.suppress(OSError):  # what is in the way is said of each report
            self.path.mkdir(parents=True, exist_ok=True)  # an agent may have cleaned up
        for name in settings.formats:
            path = Path(self.shown) / known[name].file_name
            try:
                replace_file(self.path / path.name, known[name].render(report))
            except OSError as problem:
                problems.append(f"cannot write {path}: {problem.strerror}")
            else:
                paths[name] = str(path)
        return Written(paths=paths, problems=tuple(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The reports that were written, as the user would type their paths, and what was in the way of the others."""

    paths: Mapping[FileFormat, str]
    problems: tuple[str, ...]


def prepare_report_folder(cwd: Path, settings: ReportSettings) -> ReportFolder:
    """Make the folder and see that the reports can be written to it, before any agent is called.

    Raises BadInputError when they cannot.
    """
    shown = settings.report_dir
    path = cwd / shown
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as problem:
        raise BadInputError(
            f"cannot write reports to {shown}: {problem.strerror}; give another --report-dir"
        ) from problem
    for kind in report_formats(junit_style=settings.junit_style).values():
        if (path / kind.file_name).is_dir():
            raise BadInputError(f"cannot write {Path(shown) / kind.file_name}: there is a folder of that name")
    return ReportFolder(path=path, shown=shown)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; raises OSError."""
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
