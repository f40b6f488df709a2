"""Paths that cannot be read, or cannot even be: each is a problem with its place, never a crash."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentlab_ci.loading.files import is_file, is_folder, is_inside, is_there
from agentlab_ci.loading.usable import find_unusable
from yaml_projects import CONFIG, CONVERSATION, TASK, load, problems_in, write_files

LONG = "x" * 300
"""No file can have so long a name."""


@contextmanager
def as_nobody() -> Iterator[None]:
    """Give up root's right to read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may walk into, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in folder.rglob("*"):
            path.chmod(0o755)


def problems_for_nobody(folder: Path, closed: str, mode: int) -> list[str]:
    path = folder / closed
    path.chmod(mode)
    try:
        with as_nobody():
            return problems_in(folder)
    finally:
        path.chmod(0o755)


@pytest.mark.parametrize(
    ("closed", "mode", "problems"),
    [
        ("scenarios/in/a.yaml", 0, ["scenarios/in/a.yaml: cannot be read: Permission denied"]),
        ("scenarios/in", 0, ["scenarios/in: cannot be read: Permission denied"]),
        ("scenarios", 0, ["scenarios: cannot be read: Permission denied"]),
        ("agentlab.config.yaml", 0, ["agentlab.config.yaml: cannot be read: Permission denied"]),
        # its names can be listed, and nothing else
        (
            "scenarios/in",
            0o444,
            [
                "scenarios/in/a.yaml: cannot be read: Permission denied",
                "scenarios/in/deeper: cannot be read: Permission denied",
                "scenarios/in/link: cannot be read: Permission denied",
            ],
        ),
        # names can be used, and not be listed
        ("scenarios/in", 0o111, ["scenarios/in: cannot be read: Permission denied"]),
        (
            ".",
            0o444,
            [
                "agentlab.config.yaml: cannot be read: Permission denied",
                "scenarios: cannot be read: Permission denied",
            ],
        ),
    ],
)
def test_what_may_not_be_read_is_said_with_its_place(
    open_folder: Path, closed: str, mode: int, problems: list[str]
) -> None:
    write_files(
        open_folder,
        {
            "agentlab.config.yaml": CONFIG,
            "scenarios/in/a.yaml": CONVERSATION,
            "scenarios/in/deeper/b.yaml": CONVERSATION.replace("support.order", "support.b"),
            "scenarios/c.yaml": CONVERSATION.replace("support.order", "support.c"),
        },
    )
    (open_folder / "scenarios/in/link").symlink_to("deeper")
    assert problems_in(open_folder) == []
    assert problems_for_nobody(open_folder, closed, mode) == problems


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (LONG, f"{LONG}: cannot be read: File name too long"),
        (f"{LONG}/a.yaml", f"{LONG}/a.yaml: cannot be read: File name too long"),
        (f"{LONG}*", f"{LONG}*: no file matches"),
        (f"{LONG}/**/*.yaml", f"{LONG}/**/*.yaml: no file matches"),
        ("agentlab.config.yaml/a.yaml", "agentlab.config.yaml/a.yaml: there is no such file or folder"),
        ("loop.yaml", "loop.yaml: cannot be read: Too many levels of symbolic links"),
        ("loop.yaml/a.yaml", "loop.yaml/a.yaml: cannot be read: Too many levels of symbolic links"),
    ],
)
def test_a_path_that_leads_nowhere_is_a_problem(tmp_path: Path, path: str, problem: str) -> None:
    write_files(tmp_path, {"agentlab.config.yaml": CONFIG, "scenarios/a.yaml": CONVERSATION})
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert problems_in(tmp_path, "scenarios", path) == [problem]
    assert any(line.startswith(f"{path}: cannot be read: ") for line in problems_in(tmp_path, config=path))


def test_only_what_is_named_like_a_scenario_has_to_be_readable(tmp_path: Path) -> None:
    write_files(tmp_path, {"scenarios/a.yaml": CONVERSATION})
    (tmp_path / "scenarios/loop").symlink_to("loop")
    (tmp_path / "scenarios/dangling").symlink_to("nothing")
    (tmp_path / "scenarios/back").symlink_to(".")
    assert [scenario.id for scenario in load(tmp_path).scenarios] == ["support.order"]


def test_a_file_that_two_paths_lead_to_is_read_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"scenarios/a.yaml": CONVERSATION})
    assert len(load(tmp_path, "scenarios", "scenarios/a.yaml", "scenarios/*.yaml").scenarios) == 1


def test_paths_in_files_that_no_file_can_have_are_problems(tmp_path: Path) -> None:
    config = (
        f"agents: [{{name: e, provider: external_process, command: {LONG}, cwd: {LONG}}}]\n"
        f"tools: [{{name: t, module_path: {LONG}.py}}, {{name: c, command: [./{LONG}]}}]\n"
    )
    task = TASK.replace("[orders.list,", "[t, c,") + f"setup_script: {LONG}.py\n"
    project = load(write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": task}))
    found = find_unusable(project, agents=["e"], scenarios=project.scenarios, environ={"PATH": "/bin"})
    assert [problem.where for problem in found] == [
        "agents[0].cwd",
        "tools[0].module_path",
        "tools[1].command",
        "setup_script",
    ]
    fixtures = TASK.replace("fixtures/support/orders.json", LONG)
    (problem,) = problems_in(write_files(tmp_path, {"agentlab.config.yaml": "", "scenarios/a.yaml": fixtures}))[
        -1:
    ]
    assert problem.startswith("scenarios/a.yaml:8:14: context.fixtures[0]: there is no file `xxx")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", LONG, "file/x", "loop", "loop/x"])
def test_looking_at_a_path_never_raises(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    path = tmp_path / name
    assert not is_file(path)
    assert not is_folder(path)
    assert is_inside(tmp_path, path) is ("\0" not in name and "\ud800" not in name)
    assert is_there(path) is (name in {LONG, "loop", "loop/x"})  # a reader finds out why not
