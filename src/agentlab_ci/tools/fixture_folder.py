"""Where fixtures are: those that ship with the package, and a project's own in the place of them."""

import asyncio
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from agentlab_ci.tools.builtin.kind import FixtureKind
from agentlab_ci.tools.builtin.table import Record
from agentlab_ci.tools.fixture_file import FixtureError, read_records
from agentlab_ci.tools.interface import ToolBrokenError

SHIPPED = Path(__file__).parent / "fixtures"


class FixtureFolder:
    """The fixtures of a folder; each is read once, when it is asked for.

    What the folder lacks is the shipped one, unless it is `whole`: then a setup script has removed it.
    """

    def __init__(self, folder: Path, *, whole: bool = False) -> None:
        self._folder = folder
        self._whole = whole
        self._records: dict[str, tuple[Record, ...]] = {}

    def records(self, kind: FixtureKind) -> tuple[Record, ...]:
        """Return the fixture's records, which callers share. Raises ToolBrokenError."""
        if kind.path not in self._records:
            try:
                self._records[kind.path] = read_records(self._find(kind), kind)
            except FixtureError as problem:
                place = f"fixtures/{kind.path}" + (f":{problem.line}" if problem.line else "")
                raise ToolBrokenError(f"{place}: {problem.message}") from None
        return self._records[kind.path]

    def _find(self, kind: FixtureKind) -> Path:
        own = self._folder / kind.path
        if _is_there(own):
            return own
        if self._whole:
            raise FixtureError("it is gone since the setup script ran")
        return SHIPPED / kind.path


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
        self._given = given
        self._project = project
        self._temporary: TemporaryDirectory[str] | None = None
        self._copying: asyncio.Task[Path] | None = None

    async def folder(self) -> Path:
        """Return the folder. Raises ToolBrokenError when it cannot be made."""
        if self._given is not None:
            return self._given
        if self._copying is None:
            self._copying = asyncio.create_task(asyncio.to_thread(self._copy))
        try:
            return await asyncio.shield(self._copying)
        except OSError as problem:
            why = problem.strerror or problem
            raise ToolBrokenError(f"the project's `fixtures` cannot be copied: {why}") from None

    async def remove(self) -> None:
        """Remove the copies, if any were made; a thread that still makes them cannot be stopped, but awaited."""
        try:
            if self._copying is not None:
                await asyncio.wait([self._copying])
        finally:
            if self._temporary is not None:
                self._temporary.cleanup()

    def _copy(self) -> Path:
        self._temporary = TemporaryDirectory(prefix="agentlab-fixtures-", ignore_cleanup_errors=True)
        target = Path(self._temporary.name) / "fixtures"
        copy_fixtures(self._project, target)
        return target


def copy_fixtures(project: Path, target: Path) -> None:
    """Make the folder `target`, with copies of the shipped fixtures and then of all of the project's `fixtures`.

    Links to files of the project are copied as the files; other links are left out. Raises OSError whose text says
    which file stands in the way, and for a `fixtures` that is not in the project.
    """
    own = project / "fixtures"
    waiting = [own] if own.is_dir() else []
    if waiting and not _is_inside(project, own):
        raise OSError("it leads out of the project, or into its `.git`")
    shutil.copytree(SHIPPED, target)
    while waiting:
        source = waiting.pop()
        to = target / source.relative_to(own)
        try:
            if source.is_dir():
                to.mkdir(exist_ok=True)
                waiting += (path for path in source.iterdir() if not _is_unwanted(path, project))
            else:
                _copy_file(source, to)
        except OSError as problem:
            place = source.relative_to(project).as_posix()
            raise OSError(f"{place}: {problem.strerror or problem}") from None


def _copy_file(source: Path, to: Path) -> None:
    if not source.is_file():  # a device would have no end
        raise OSError("it is neither a file nor a folder")
    shutil.copyfile(source, to)
    shutil.copymode(source, to)


def _is_unwanted(path: Path, project: Path) -> bool:
    """Tell whether it is a link out of the project, to nothing, or to a folder, which can go round in circles."""
    return path.is_symlink() and not (path.is_file() and _is_inside(project, path))


def _is_inside(project: Path, path: Path) -> bool:
    root, real = project.resolve(), path.resolve()
    return real.is_relative_to(root) and ".git" not in real.relative_to(root).parts
