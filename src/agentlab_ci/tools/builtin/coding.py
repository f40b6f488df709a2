"""The files of a small repository."""

from typing import Any

from agentlab_ci.tools.builtin.kind import BuiltinTool, FixtureKind, text
from agentlab_ci.tools.builtin.table import Record, Table
from agentlab_ci.tools.interface import ToolFailedError

_FILES = FixtureKind(path="coding/repo-files.json", fields={"path": str, "content": str})
_PATH = text("The path of the file, as repo.list_files returns it.")


def _list_files(files: Table, _: Record) -> Any:
    return [{"path": file["path"]} for file in files]


def _file(files: Table, value: Record) -> Record:
    found = files.where(path=value["path"])
    if not found:
        raise ToolFailedError(f"there is no file {value['path']}")
    return found[0]


def _read_file(files: Table, value: Record) -> Any:
    file = _file(files, value)
    return {"path": file["path"], "content": file["content"]}


def _apply_patch(files: Table, value: Record) -> Any:
    file = files.change(_file(files, value), content=value["replacement"])
    return {"path": file["path"], "replacement": file["content"], "applied": True}


KINDS: tuple[BuiltinTool, ...] = (
    BuiltinTool(
        name="repo.list_files",
        description="List the files of the repository.",
        returns="a list of `{path}`",
        fixture=_FILES,
        act=_list_files,
    ),
    BuiltinTool(
        name="repo.read_file",
        description="Read a file of the repository.",
        arguments={"path": _PATH},
        returns="`{path, content}`",
        fixture=_FILES,
        act=_read_file,
    ),
    BuiltinTool(
        name="repo.apply_patch",
        description="Replace the content of a file of the repository.",
        arguments={"path": _PATH, "replacement": text("The new content of the file.")},
        returns="`{path, replacement, applied}`",
        fixture=_FILES,
        act=_apply_patch,
    ),
)
