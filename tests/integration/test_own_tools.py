"""A project's own tools, honest and hostile: commands and Python functions in processes of their own."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.interface import ToolBrokenError, ToolContext
from tool_samples import answer, opener, outcomes_of
from yaml_projects import write_files

FUNCTIONS = """\
import asyncio, json, os, socket, sys
from pathlib import Path

calls = 0

def echo(value, context):
    return {"value": value, "keys": sorted(context), "of": [context["scenario_id"], context["sample"]]}

async def later(value, context):
    await asyncio.sleep(0)
    return [value["q"], None]

def count(value, context):
    global calls
    calls += 1
    return calls

def see(value, context):
    return {"canary": os.environ.get("CANARY"), "allowed": os.environ.get("ALLOWED"), "home": "HOME" in os.environ}

def fail(value, context):
    raise ValueError("no such order: " + value["q"])

def leave(value, context):
    os._exit(3)

def spill(value, context):
    os.write(2, b"secret" + b"x" * 997)
    os._exit(3)

def quit(value, context):
    sys.exit("enough")

def block(value, context):
    while value.get("q") != "quick":
        pass
    return "quick"

def noise(value, context):
    print("{\\"value\\": \\"forged\\"}", flush=True)
    os.write(1, b"noise on the descriptor\\n")
    print("noise", file=sys.stderr)
    return "quiet"

def change(value, context):
    value["q"] = "changed"
    context["sample"] = 99
    return value

def a_set(value, context):
    return {1, 2}

def not_a_number(value, context):
    return [float("nan")]

def half_a_pair(value, context):
    return "half \\ud800"

def huge(value, context):
    return 10 ** 400

def flood(value, context):
    return "x" * (2 << 20)

def deep(value, context):
    result = []
    for _ in range(500):
        result = [result]
    return result

def nothing(value, context):
    return None

def refunds(value, context):
    path = Path(context["fixtures_folder"], "support", "refunds.json")
    made = json.loads(path.read_text()) if path.exists() else []
    path.write_text(json.dumps([*made, value["q"]]))
    return len(made) + 1

def say_and_block(value, context):
    socket.create_connection(("127.0.0.1", value["port"])).sendall(b"%d\\n" % os.getpid())
    block({}, context)

def stay(value, context):
    Path(value["q"]).write_text(str(os.getpid()))
    return True
"""


def python_tool(function: str, **more: Any) -> CustomTool:
    return CustomTool(name=f"my.{function}", module_path="tools/mine.py", **{"timeout_ms": 10_000, **more})


def command_tool(*argv: str, **more: Any) -> CustomTool:
    return CustomTool(name="my.command", command=argv, **{"timeout_ms": 10_000, **more})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_files(tmp_path / "project", {"tools/mine.py": FUNCTIONS})


def call(project: Path, tool: CustomTool, *values: dict[str, Any], **environ: str) -> list[CallOutcome]:
    calls = [(tool.name, value) for value in values or ({},)]
    return outcomes_of(project, *calls, tools=[tool], environ=os.environ | environ)


@pytest.mark.parametrize(
    ("function", "output"),
    [
        (
            "echo",
            {
                "value": {"q": "x"},
                "keys": ["fixtures_folder", "sample", "scenario_id"],
                "of": ["shop.refund", 2],
            },
        ),
        ("later", ["x", None]),
        ("noise", "quiet"),
        ("change", {"q": "changed"}),
        ("half_a_pair", "half \ufffd"),
        ("nothing", None),
    ],
)
def test_a_function_answers(project: Path, function: str, output: object) -> None:
    value = {"q": "x"}
    (outcome,) = call(project, python_tool(function), value)
    assert (outcome.output, outcome.error) == (output, None)
    assert value == {"q": "x"}
    assert outcome.duration_ms > 0


@pytest.mark.parametrize(
    ("function", "error"),
    [
        ("fail", "ValueError: no such order: x"),
        ("leave", "its process is gone: it exited with code 3"),
        ("quit", "SystemExit: it called `sys.exit('enough')`"),
        ("a_set", "it returned a `set`, which is not plain JSON data"),
        ("not_a_number", "it returned a `list`, which is not plain JSON data"),
        ("huge", "10000000000000000000… in its answer is too large"),
        ("flood", "the result is longer than 1048576 bytes"),
        ("deep", "the result is nested deeper than 64 levels"),
    ],
)
def test_a_function_that_fails_tells_the_agent_and_may_be_called_again(
    project: Path, function: str, error: str
) -> None:
    first, second = call(project, python_tool(function), {"q": "x"}, {"q": "x"})
    assert first.output is None
    assert (first.error or "").startswith(error)
    assert "Traceback" not in (first.error or "")
    assert second.error == first.error


def test_a_function_that_blocks_costs_its_time_and_not_the_next_call(project: Path) -> None:
    blocked, quick = call(project, python_tool("block", timeout_ms=1500), {"q": "x"}, {"q": "quick"})
    assert blocked.error == "no result within 1500 ms"
    assert quick.output == "quick"


def test_a_function_sees_the_allowed_part_of_the_environment(project: Path) -> None:
    tool = python_tool("see", env_allowlist=["ALLOWED"])
    (outcome,) = call(project, tool, CANARY="secret", ALLOWED="yes", HOME="/root")
    assert outcome.output == {"canary": None, "allowed": "yes", "home": True}


def test_a_module_keeps_its_state_for_the_sample_and_no_longer(project: Path) -> None:
    for _ in range(2):
        assert [outcome.output for outcome in call(project, python_tool("count"), {}, {})] == [1, 2]


def test_a_tool_may_change_the_sample_s_fixtures_and_nobody_else_s(project: Path) -> None:
    before = sorted(project.rglob("*"))
    for _ in range(2):
        assert [o.output for o in call(project, python_tool("refunds"), {"q": "a"}, {"q": "b"})] == [1, 2]
    assert sorted(project.rglob("*")) == before


def test_a_package_is_a_module_by_its_name(project: Path) -> None:
    tool = CustomTool(name="my.say-it", package="shop.tools", timeout_ms=10_000)
    write_files(project, {"shop/tools.py": "def say_it(value, context):\n    return 'said'\n"})
    assert call(project, tool)[0].output == "said"
    named = CustomTool(name="other", package="tools.mine", export_name="nothing", timeout_ms=10_000)
    assert call(project, named)[0].error is None


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        (
            python_tool("absent"),
            "`tools/mine.py` cannot be loaded: AttributeError: `tools/mine.py` has no `absent`",
        ),
        (
            CustomTool(name="my.x", package="no_such_package"),
            "`no_such_package` cannot be loaded: ModuleNotFoundError",
        ),
        (
            CustomTool(name="my.x", module_path="tools/broken.py"),
            "`tools/broken.py` cannot be loaded: SyntaxError",
        ),
        (CustomTool(name="my.x", module_path="tools/leaves.py"), "its process is gone: it exited with code 4"),
        (CustomTool(name="my.x", module_path="tools/blocks.py", timeout_ms=500), "no result within 500 ms"),
        (
            CustomTool(name="my.x", module_path="tools/gone.py"),
            "`tools/gone.py` cannot be loaded: FileNotFoundError",
        ),
        (command_tool("no-such-command"), "the command `no-such-command` is not there"),
        (command_tool("tools/mine.py"), "`tools/mine.py` may not be executed"),
        (command_tool("sh", "-c", "\0"), "`sh` did not start: embedded null byte"),
    ],
)
def test_a_tool_that_cannot_be_asked_is_no_fault_of_the_agent(
    project: Path, tool: CustomTool, message: str
) -> None:
    files = {
        "tools/broken.py": "def x(:\n",
        "tools/leaves.py": "import os\nos._exit(4)\n",
        "tools/blocks.py": "while True:\n    pass\n",
    }
    write_files(project, files)
    with pytest.raises(ToolBrokenError) as raised:
        call(project, tool)
    assert str(raised.value).startswith(f"tool `{tool.name}`: ")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("import json, sys; print(json.dumps({'got': json.load(sys.stdin)}))", {"got": {"q": "größer"}}),
        ("import sys; sys.stdout.buffer.write('\\ufeff{\"a\": 1}'.encode())", {"a": 1}),
        # It does not read, and ends its output with no line end.
        ("print('\\n [1, null]  ', end='')", [1, None]),
        ("import sys; print('noise', file=sys.stderr); print('true')", True),
        ("import os; print(int('CANARY' in os.environ))", 0),
        ("import os; print('\"%s\"' % os.path.basename(os.getcwd()))", "project"),
    ],
)
def test_a_command_answers(project: Path, script: str, output: object) -> None:
    (outcome,) = call(project, command_tool(sys.executable, "-c", script), {"q": "größer"}, CANARY="secret")
    assert (outcome.output, outcome.error) == (output, None)
    assert outcome.duration_ms > 0


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("import sys; sys.exit('no index')", "it exited with code 1; it said: no index"),
        ("import sys; sys.exit(7)", "it exited with code 7"),
        # It printed a result all the same.
        ("print('{}'); raise SystemExit(2)", "it exited with code 2"),
        ("import os; os.kill(os.getpid(), 9)", "it was ended by SIGKILL (signal 9)"),
        ("print('not json')", "what it printed is no JSON"),
        ("print('{} {}')", "what it printed is no JSON"),
        ("pass", "it printed no result"),
        ("print('NaN')", "the result holds NaN, which JSON cannot"),
        ("print('x' * (2 << 20))", "the result is longer than 1048576 bytes"),
        ("import sys; sys.stdout.buffer.write(b'[\\xff]')", "what it printed is no JSON"),
    ],
)
def test_a_command_that_fails_tells_the_agent(project: Path, script: str, error: str) -> None:
    (outcome,) = call(project, command_tool(sys.executable, "-c", script))
    assert (outcome.output, outcome.error) == (None, error)


def test_a_command_that_does_not_end_is_killed(project: Path) -> None:
    script = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); signal.pause()"
    )
    (outcome,) = call(project, command_tool(sys.executable, "-c", script, timeout_ms=1000))
    assert outcome.error == "no result within 1000 ms"


def test_only_the_end_of_a_flood_on_stderr_is_told(project: Path) -> None:
    script = "import sys; sys.stderr.write('x' * (4 << 20) + 'the end'); sys.exit(1)"
    (outcome,) = call(project, command_tool(sys.executable, "-c", script))
    assert outcome.error is not None
    assert outcome.error.startswith("it exited with code 1; it said: …xxx")
    assert outcome.error.endswith("the end")
    assert len(outcome.error) < 1100


def test_what_was_said_is_masked_before_it_is_cut(project: Path) -> None:
    script = "import sys; sys.exit('secret' + 'x' * 997)"
    (command,) = call(project, command_tool(sys.executable, "-c", script))
    (function,) = call(project, python_tool("spill"))
    assert command.error == f"it exited with code 1; it said: ***{'x' * 997}"
    assert function.error == f"its process is gone: it exited with code 3; it said: ***{'x' * 997}"


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_processes_end_with_the_sample(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "pid"

    async def run() -> tuple[bool, int]:
        context = ToolContext(scenario_id="a.b", sample=1)
        async with opener(project, [python_tool("stay")])(("my.stay",), context) as box:
            await answer(box, [("my.stay", {"q": str(file)})])
            pid = int(file.read_text())
            return is_running(pid), pid

    ran, pid = asyncio.run(run())
    assert ran
    assert not is_running(pid)


def test_a_sample_that_is_cancelled_in_a_call_leaves_nothing_behind(project: Path) -> None:
    async def run() -> int:
        said: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            said.set_result(int(await reader.readline()))
            writer.close()

        async def sample(port: int) -> None:
            context = ToolContext(scenario_id="a.b", sample=1)
            async with opener(project, [python_tool("say_and_block")])(("my.say_and_block",), context) as box:
                await answer(box, [("my.say_and_block", {"port": port})])

        async with await asyncio.start_server(listen, "127.0.0.1", 0) as server, asyncio.timeout(30):
            task = asyncio.create_task(sample(server.sockets[0].getsockname()[1]))
            pid = await said
            assert is_running(pid)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return pid

    assert not is_running(asyncio.run(run()))


def test_samples_at_once_have_a_process_each(project: Path) -> None:
    open_toolbox = opener(project, [python_tool("count")])

    async def sample(number: int) -> list[Any]:
        async with open_toolbox(("my.count",), ToolContext(scenario_id="a.b", sample=number)) as box:
            return [outcome.output for outcome in await answer(box, [("my.count", {})] * 2)]

    async def run() -> list[list[Any]]:
        return await asyncio.gather(*(sample(number) for number in range(1, 5)))

    assert asyncio.run(run()) == [[1, 2]] * 4


def test_input_is_held_against_the_schema_before_anything_starts(project: Path, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tool = python_tool("stay", input_schema=schema)
    file = tmp_path / "pid"
    (outcome,) = call(project, tool, {"q": str(file), "extra": 1})
    assert outcome.error == "invalid input: `extra` is unknown; there is `q`"
    assert outcome.duration_ms == 0
    assert not file.exists()
