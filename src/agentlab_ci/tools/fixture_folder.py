"""Where fixtures are: those that ship with the package, and a project's own in the place of them."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from agentlab_ci.tools.builtin.kind import FixtureKind
from agentlab_ci.tools.builtin.table import Record
from agentlab_ci.tools.fixture_file import FixtureError, read_records
from agentlab_ci.tools.interface import ToolBrokenError

SHIPPED = Path(__file__).parent / "fixtures"


class FixtureFolder:
    """The fixtures that a folder and the shipped ones make up; each is read once, when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._records: dict[str, tuple[Record, ...]] = {}

    def records(self, kind: FixtureKind) -> tuple[Record, ...]:
        """Return the fixture's records, which callers share. Raises ToolBrokenError."""
        if kind.path not in self._records:
            own = self._folder / kind.path
            try:
                self._records[kind.path] = read_records(own if _is_there(own) else SHIPPED / kind.path, kind)
            except FixtureError as problem:
                place = f"fixtures/{kind.path}" + (f":{problem.line}" if problem.line else "")
                raise ToolBrokenError(f"{place}: {problem.message}") from None
        return self._records[kind.path]


def _is_there(path: Path) -> bool:
    """Tell whether the project has the file, be it one that cannot be read: then that is the fault to name."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


class SampleFixtures:
    """The fixtures that a project's own tools may read and change in one sample: copies, made on first use."""

    def __init__(self, given: Path | None, project: Path) -> None:
        self._folder = given
        self._project = project
        self._temporary: TemporaryDirectory[str] | None = None

    def folder(self) -> Path:
        """Return the folder. Raises ToolBrokenError when it cannot be made."""
        if self._folder is None:
            try:
                self._temporary = TemporaryDirectory(prefix="agentlab-fixtures-", ignore_cleanup_errors=True)
                target = Path(self._temporary.name) / "fixtures"
                copy_fixtures(self._project, target)
            except OSError as problem:
                raise ToolBrokenError(f"the fixtures cannot be copied: {problem}") from None
            self._folder = target
        return self._folder

    def remove(self) -> None:
        """Remove the copies, if any were made."""
        if self._temporary is not None:
            self._temporary.cleanup()


def copy_fixtures(project: Path, target: Path) -> None:
    """Make the folder `target`, with copies of the shipped fixtures and then of all of the project's `fixtures`.

    Links to files of the project are copied as the files; other links are left out. Raises OSError.
    """
    shutil.copytree(SHIPPED, target)
    own = project / "fixtures"
    if own.is_dir():
        shutil.copytree(own, target, ignore=_Unwanted(project.resolve()), dirs_exist_ok=True)


class _Unwanted:
    """Picks the links that lead out of the project, to nothing, or to folders, which can go round in circles."""

    def __init__(self, project: Path) -> None:
        self._project = project

    def __call__(self, folder: str, names: list[str]) -> set[str]:
        return {name for name in names if self._is_unwanted(Path(folder, name))}

    def _is_unwanted(self, path: Path) -> bool:
        return path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(self._project))
