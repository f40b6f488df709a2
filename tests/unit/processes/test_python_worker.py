import ast
import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.processes import python_worker
from agentlab_ci.processes.child import ChildGoneError, LineTooLongError, kill_orphans
from agentlab_ci.processes.python_worker import NOT_JSON, WorkerFailedError, open_worker
from children import survivors

FAR_SIDE = Path(python_worker.__file__).with_name("worker_main.py")
TOOL = """\
import os
from dataclasses import dataclass
import beside

@dataclass
class Thing:
    number: int

def add(value, context, *, more=0):
    import json
    json.dumps(value)  # of the standard library still
    return {"sum": value["a"] + beside.B + more, "context": context}

def hide_in_the_pipe(text):
    for fd in range(3, 64):
        try:
            os.write(fd, text.encode())
        except OSError:
            pass
"""


def ask(project: Path, *requests: Mapping[str, Any], **more: Any) -> list[Any]:
    """Return what one worker answers to each request."""

    python = more.pop("python", None)

    async def talk() -> list[Any]:
        async with asyncio.timeout(20), open_worker(python, project, {}, 1 << 20, **more) as worker:
            return [await worker.call(request) for request in requests]

    try:
        return asyncio.run(talk())
    finally:
        kill_orphans()
        assert survivors(project) == []


def call(*args: Any, **kwargs: Any) -> dict[str, Any]:
    return {"do": "call", "args": args, "kwargs": kwargs}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tools = tmp_path / "user_tools"
    tools.mkdir()
    (tools / "json.py").write_text(TOOL)  # a name that the standard library has
    (tools / "beside.py").write_text("B = 2\n")
    return tmp_path


@pytest.mark.parametrize("path", ["user_tools/json.py", "{project}/user_tools/json.py"])
def test_a_function_is_imported_from_a_file(path: str, project: Path) -> None:
    target = {"do": "import", "path": path.format(project=project), "attribute": "add"}
    answers = ask(project, target, call({"a": 1}, "c"), call({"a": 1}, None, more=4))
    assert answers == [None, {"sum": 3, "context": "c"}, {"sum": 7, "context": None}]


def test_a_function_is_imported_from_a_module(project: Path) -> None:
    target = {"do": "import", "module": "os.path", "attribute": "basename"}
    assert ask(project, target, call("a/b")) == [None, "b"]


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ({"path": "user_tools/gone.py", "attribute": "add"}, "FileNotFoundError"),
        ({"path": "user_tools", "attribute": "add"}, "ImportError"),
        ({"path": "user_tools/json.py", "attribute": "gone"}, "AttributeError"),
        ({"module": "no.such", "attribute": "add"}, "ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_imported_is_said(target: dict[str, str], kind: str, project: Path) -> None:
    with pytest.raises(WorkerFailedError) as caught:
        ask(project, {"do": "import", **target})
    assert caught.value.type == kind


def test_a_script_is_run_as_the_main_program_in_a_folder_of_choice(project: Path) -> None:
    (project / "data").mkdir()
    script = project / "set_up.py"
    script.write_text(
        "import sys\nif __name__ == '__main__': open('made', 'w').write(repr(sys.argv))\nsys.exit(0)\n"
    )
    assert ask(project, {"do": "script", "path": str(script), "args": ["x"]}, cwd=project / "data") == [None]
    assert (project / "data" / "made").read_text() == repr([str(script), "x"])


def test_an_interpreter_with_a_slash_is_the_projects_wherever_it_runs(project: Path) -> None:
    (project / "bin").mkdir()
    (project / "bin" / "py").symlink_to(sys.executable)
    target = {"do": "import", "module": "os", "attribute": "getcwd"}
    assert ask(project, target, call(), python="bin/py", cwd=project / "user_tools") == [
        None,
        str(project / "user_tools"),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "frames"),
    [("import sys; sys.exit(3)", "SystemExit", 1), ("def f(): 1 / 0\nf()", "ZeroDivisionError", 2)],
)
def test_a_script_that_fails_says_where(text: str, kind: str, frames: int, project: Path) -> None:
    (project / "set_up.py").write_text(text)
    with pytest.raises(WorkerFailedError) as caught:
        ask(project, {"do": "script", "path": str(project / "set_up.py"), "args": []})
    assert caught.value.type == kind
    assert caught.value.frames.count("File ") == frames


FORGED = [
    "[1, 2]",
    "{}",
    "null",
    "no JSON",
    '{"failed": null}',
    '{"failed": {"type": 1, "message": 2, "frames": 3}}',
    '{"failed": {"type": "E", "message": [], "frames": ""}}',
    '{"failed": {"type": "E", "message": "m", "frames": null}}',
    '{"value": NaN}',
    '{"value": [-Infinity]}',
    '{"value": 1e999}',
    '{"value": ' + "9" * 5000 + "}",
]


@pytest.mark.parametrize("text", [text + "\n" for text in FORGED])
def test_code_that_writes_into_our_pipe_costs_its_own_answer_only(text: str, project: Path) -> None:
    target = {"do": "import", "path": "user_tools/json.py", "attribute": "hide_in_the_pipe"}
    with pytest.raises(WorkerFailedError) as caught:
        ask(project, target, call(text))
    assert caught.value.type == NOT_JSON


def test_a_forged_failure_is_cut(project: Path) -> None:
    target = {"do": "import", "path": "user_tools/json.py", "attribute": "hide_in_the_pipe"}
    failed = {"type": "T" * 9_999, "message": "m" * 9_999, "frames": "f" * 99_999}
    with pytest.raises(WorkerFailedError) as caught:
        ask(project, target, call(json.dumps({"failed": failed}) + "\n"))
    shown = caught.value
    assert (len(shown.type), len(shown.message), len(shown.frames)) == (2_000, 2_000, 65_536)


def test_an_answer_over_the_limit_is_refused(project: Path) -> None:
    target = {"do": "import", "module": "operator", "attribute": "mul"}
    with pytest.raises(LineTooLongError):
        ask(project, target, call("x", 2 << 20))


def test_a_worker_that_ends_is_gone(project: Path) -> None:
    with pytest.raises(ChildGoneError, match="it exited with code 7"):
        ask(project, {"do": "import", "module": "os", "attribute": "_exit"}, call(7))


def test_our_own_import_path_is_as_it_was() -> None:
    assert str(FAR_SIDE.parent) not in sys.path
    assert "agentlab_ci.processes.worker_main" not in sys.modules


def test_the_far_side_runs_under_python_3_8_and_needs_nothing_but_its_standard_library() -> None:
    tree = ast.parse(FAR_SIDE.read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert imported <= sys.stdlib_module_names
