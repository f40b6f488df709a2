"""Python that a config names, imported for real in processes of its own."""

from pathlib import Path

import pytest

from agentlab_ci.core.config import CustomTool, PythonAgent
from agentlab_ci.core.provider import Provider
from agentlab_ci.loading.importable import find_unimportable, import_of, try_imports
from yaml_projects import load, write_files

MODULE = """\
import os
import helper

def answer(messages, context, tools):
    return "hi"

NUMBER = 7
SEEN = sorted(os.environ)
assert "AGENTLAB_CANARY" not in SEEN
"""


def agent(target: str, python: str | None = None) -> PythonAgent:
    return PythonAgent(name="a", provider=Provider.PYTHON, target=target, python=python)


def tool(**more: str) -> CustomTool:
    return CustomTool.model_validate({"name": "kb.find-it", **more})


@pytest.mark.parametrize(
    ("named", "fault"),
    [
        (agent("shop:answer"), None),
        (agent("shop:anwser"), "cannot be imported: AttributeError: `shop` has no `anwser`"),
        (agent("shop:NUMBER"), "cannot be imported: TypeError: `NUMBER` in `shop` is no function but an `int`"),
        (
            agent("no_such:answer"),
            "No module named 'no_such'; `python` in the config names the interpreter that has it",
        ),
        (agent("shop:answer", "./no/python"), "cannot be imported: ./no/python does not start: "),
        (agent("broken:answer"), "cannot be imported: SyntaxError: "),
        (agent("leaves:answer"), "cannot be imported: its process is gone: it exited with code 3"),
        (tool(module_path="tools/find.py"), None),
        (tool(module_path="tools/find.py", export_name="lost"), "has no `lost`"),
        (tool(package="shop", export_name="answer"), None),
        (tool(package="no_such"), "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_what_can_be_imported_and_why_not(
    tmp_path: Path, named: PythonAgent | CustomTool, fault: str | None
) -> None:
    (tmp_path / "tools").mkdir()
    for name, text in {
        "shop.py": MODULE,
        "helper.py": "",
        "broken.py": "def answer(:",
        "leaves.py": "import os; os._exit(3)",
        "tools/find.py": "def find_it(value, context): return value",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    environ = {"PATH": "/usr/bin:/bin", "AGENTLAB_CANARY": "canary"}
    [found] = try_imports([import_of(named)], project=tmp_path, environ=environ)
    assert (found is None) == (fault is None), found
    assert fault is None or fault in (found or "")


def test_an_import_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentlab_ci.loading.importable.SECONDS", 0.5)
    (tmp_path / "shop.py").write_text("import time; time.sleep(10**6)", encoding="utf-8")
    assert try_imports([import_of(agent("shop:answer"))], project=tmp_path, environ={}) == [
        "its import did not end within 0.5 s"
    ]


def test_nothing_is_started_for_nothing(tmp_path: Path) -> None:
    assert try_imports([], project=tmp_path, environ={}) == []


CONFIG = """\
agents:
  - {name: helper, provider: python, target: "shop:anwser"}
  - {name: unused, provider: python, target: "no_such:answer"}
tools:
  - {name: kb.find, module_path: tools/find.py, input_schema: {type: object}}
"""
TASK = """\
id: shop.task
name: A task
suite: shop
agent: helper
task: {instructions: Do it.}
tools: {allowed: [kb.find]}
evaluators: [{type: exact_final_answer, mode: hard_gate, config: {expected: done}}]
"""


def test_each_function_that_cannot_be_imported_is_named_at_its_place(tmp_path: Path) -> None:
    files = {"agentlab.config.yaml": CONFIG, "scenarios/a.yaml": TASK, "shop.py": "", "tools/find.py": ""}
    project = load(write_files(tmp_path, files))
    found = [str(problem) for problem in find_unimportable(project, agents={"helper"}, environ={})]
    cannot = "cannot be imported: AttributeError"
    assert found == [
        f"agentlab.config.yaml:2:38: agents[0].target: {cannot}: `shop` has no `anwser`",
        f"agentlab.config.yaml:5:21: tools[0].module_path: {cannot}: `tools/find.py` has no `find`",
    ]
