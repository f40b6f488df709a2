import asyncio
import json
import os
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.python import open_python_agent
from agentlab_ci.core.config import PythonAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief, ToolSpec
from agentlab_ci.core.trace import Usage
from agentlab_ci.processes.child import kill_orphans
from agentlab_ci.processes.endings import KEPT_BYTES
from children import HOSTILE_CHILDREN, survivors

SOON, LATE = 300, 20_000
"""Turn limits in ms: one that is meant to be reached, and one that is not."""


@pytest.fixture(autouse=True)
def _nothing_survives() -> Iterator[None]:
    yield
    kill_orphans()
    assert survivors("worker_main.py", below=os.getpid()) == []


def python_config(function: str, **more: Any) -> PythonAgent:
    target = function if ":" in function else f"python_agent:{function}"
    given = {"name": "a", "provider": "python", "target": target, "turn_timeout_ms": LATE}
    return PythonAgent.model_validate(given | more)


def world(**more: Any) -> AgentWorld:
    given: dict[str, Any] = {
        "environ": {},
        "project": HOSTILE_CHILDREN,
        "max_reply_bytes": 1 << 20,
        "tls": lambda: pytest.fail("no network"),
    }
    return AgentWorld(**given | more)


async def talk_once(agent: Any, *messages: str, **start: Any) -> list[Reply]:
    given: dict[str, Any] = {"scenario_id": "s.one", "sample": 2, "conversation_id": "c1"}
    async with agent.session(SessionStart(**given | start)) as session:
        return [await session.send(message) for message in messages]


def talk(config: PythonAgent, *messages: str, start: dict[str, Any] | None = None, **more: Any) -> list[str]:
    """Hold one conversation and return the replies."""

    async def run() -> list[str]:
        agent = open_python_agent(config, world(**more))
        replies = await talk_once(agent, *messages, **start or {})
        await agent.aclose()
        return [reply.text for reply in replies]

    return asyncio.run(run())


def fail(config: PythonAgent, message: str = "hi", **more: Any) -> AgentFailedError:
    with pytest.raises(AgentFailedError) as caught:
        talk(config, message, **more)
    return caught.value


@pytest.mark.parametrize(
    ("function", "replies"),
    [
        ("greets", ["hello 1", "hello 3"]),
        ("greets_later", ["hello 1", "hello 3"]),
        ("python_agent:Bot.answer", ["I am a method"] * 2),
        ("counts_its_calls", ["1", "2"]),  # one process for all of a sample
        ("reads_stdin", ["''"] * 2),  # nothing there, the protocol least of all
        ("closes_its_streams", ["done"] * 2),
    ],
)
def test_a_function_answers(function: str, replies: list[str]) -> None:
    assert talk(python_config(function), "hi", "there") == replies


def test_every_sample_has_a_process_of_its_own() -> None:
    async def run() -> list[str]:
        agent = open_python_agent(python_config("counts_its_calls"), world())
        talks = [await talk_once(agent, "hi") for _ in range(2)]
        await agent.aclose()
        return [reply.text for [reply] in talks]

    assert asyncio.run(run()) == ["1", "1"]


def test_what_was_said_before_and_is_remembered_is_told() -> None:
    before = ({"role": "system", "content": "Be kind."}, {"role": "user", "content": "I am Ada."})
    (said,) = talk(
        python_config("echoes"),
        "hi",
        start={"history": before, "memory": {"seat": "aisle"}, "userdata": {"order": 1}},
    )
    messages, context, _ = json.loads(said)
    assert messages == [*before, {"role": "user", "content": "hi"}]
    assert (context["memory"], context["userdata"]) == ({"seat": "aisle"}, {"order": 1})


def test_a_conversation_is_told_with_its_history() -> None:
    _, second = talk(python_config("echoes"), "hi", "there", start={"system_prompt": "Be brief."})
    messages, context, tools = json.loads(second)
    assert [(m["role"], m["content"]) for m in messages[::2]] == [("user", "hi"), ("user", "there")]
    assert messages[1]["role"] == "assistant"
    assert context == {
        "scenario_id": "s.one",
        "sample": 2,
        "conversation_id": "c1",
        "system_prompt": "Be brief.",
        "variables": {},
        "memory": {},
        "userdata": {},
    }
    assert tools == []


def test_changing_its_arguments_changes_nothing() -> None:
    first, second = talk(python_config("mutates"), "hi", "there")
    assert json.loads(second)[1:] == json.loads(first)[1:]
    assert [m["content"] for m in json.loads(second)[0]] == ["hi", first, "there"]


@pytest.mark.parametrize("function", ["blocks", "spins", "waits_for_ever"])
def test_a_function_that_blocks_is_ended_at_its_limit(function: str) -> None:
    failed = fail(python_config(function, turn_timeout_ms=SOON))
    assert failed.reason is TerminationReason.TIMEOUT_EXCEEDED
    assert failed.message == f"`python_agent:{function}`: no answer within 300 ms (`turn_timeout_ms`)"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("exits_hard", "its process is gone: it exited with code 0"),
        ("exits", "SystemExit: it called `sys.exit(3)`"),
        ("exits_later", "SystemExit: it called `sys.exit('no')`"),
        ("raises", "ValueError: no such customer"),
        ("raises_the_unprintable", "UnprintableError: (its message cannot be shown)"),
        ("recurses", "RecursionError: maximum recursion depth exceeded"),
        ("takes_nothing", "TypeError: takes_nothing() takes 0 positional arguments but 3 were given"),
        ("nothing_like_it", "AttributeError: `python_agent` has no `nothing_like_it`"),
        ("NUMBER", "TypeError: `NUMBER` in `python_agent` is no function but an `int`"),
        ("no_such_module:answer", "ModuleNotFoundError: No module named 'no_such_module'; `python` in the config"),
        ("imports_missing:answer", "No module named 'no_such_library_anywhere'; `python` in the config names"),
    ],
)
def test_a_function_that_fails_is_an_error_of_the_agent(function: str, message: str) -> None:
    failed = fail(python_config(function))
    assert failed.reason is TerminationReason.AGENT_ERROR
    assert message in failed.message
    assert not failed.redrawable


def test_a_failure_shows_the_frames_of_the_project_and_no_others() -> None:
    body = fail(python_config("raises")).body
    assert body is not None
    assert "in raises\n" in body
    assert "in _raise_deeper\n" in body
    assert body.count("File ") == 2
    imported = fail(python_config("imports_missing:answer")).body
    assert imported is not None
    assert imported.count("File ") == 1


def test_a_failure_shows_what_was_printed() -> None:
    body = fail(python_config("prints_then_raises")).body
    assert body is not None
    assert body.endswith("about to fail")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("None", "it returned None; expected a text, or `{reply, tool_calls, usage}`"),
        ("7", "it returned a number"),
        ("['a']", "it returned a list of 1"),
        ("{}", "it returned an empty object, but neither `reply` nor `tool_calls`"),
        ("{'text': 'a'}", "it returned an object with text, but neither `reply` nor `tool_calls`"),
        ("{'reply': 7}", "the `reply` that it returned is a number"),
        ("{'reply': None, 'tool_calls': []}", "but neither"),
        ("{'tool_calls': {}}", "`tool_calls` that it returned is an empty object; expected a list"),
        ("{'tool_calls': [1]}", "entry 1 of `tool_calls` is a number; expected `{name, input}`"),
        ("{'tool_calls': [{'name': 't'}]}", "entry 1 of `tool_calls` needs `input`, an object, but it is missing"),
        ("{'tool_calls': [{'name': 't', 'input': {}}]}", "but a conversation has no tools"),
        ("{1}", "it returned a `set`, which is not plain JSON data"),
        ("object()", "it returned an `object`, which is not plain JSON data"),
        ("float('nan')", "it returned a `float`, which is not plain JSON data"),
        ("'x' * (2 << 20)", "it returned too much: a line is longer than 1048576 bytes (`max_reply_bytes`)"),
    ],
)
def test_a_wrong_return_value_is_an_invalid_answer(returned: str, message: str) -> None:
    failed = fail(python_config("returns"), returned)
    assert failed.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    assert message in failed.message


@pytest.mark.parametrize(
    ("returned", "reply"),
    [("''", ""), ("{'reply': 'a', 'more': 1}", "a"), (r"'\ud83d'", "\ud83d"), ("{'reply': 'a', 'usage': 7}", "a")],
)
def test_odd_answers_are_answers(returned: str, reply: str) -> None:
    assert talk(python_config("returns"), returned) == [reply]


def work(config: PythonAgent, *outcomes: CallOutcome) -> list[AgentTurn]:
    """Work on one task: a first turn, then one that is told these outcomes."""
    spec = ToolSpec(name="echo", description="Echoes", input_schema={"type": "object"})
    brief = TaskBrief(instructions="Do it.", tools=(spec,), variables={"customer": 7})

    async def run() -> list[AgentTurn]:
        agent = open_python_agent(config, world())
        async with agent.task(SessionStart(scenario_id="s", sample=1, conversation_id="c"), brief) as session:
            turns = [await session.advance([])]
            if outcomes:
                turns.append(await session.advance(outcomes))
        await agent.aclose()
        return turns

    return asyncio.run(run())


def test_a_task_is_worked_on_with_tools() -> None:
    outcomes = (CallOutcome(name="echo", output={"n": 1}), CallOutcome(name="echo", error="no such order"))
    asked, answered = work(python_config("asks_for_tools"), *outcomes)
    calls = (CallRequest(name="echo", input={"n": 1}), CallRequest(name="echo", input={"n": 2}))
    assert (asked.calls, asked.final, asked.message) == (calls, None, "Let me see")
    assert asked.usage == Usage(input_tokens=3, cost_usd=0.5)
    assert (answered.calls, answered.usage) == ((), Usage(output_tokens=4))
    assert json.loads(answered.final or "") == [
        {"role": "user", "content": "Do it."},
        {
            "role": "assistant",
            "content": "Let me see",
            "tool_calls": [{"name": "echo", "input": {"n": 1}}, {"name": "echo", "input": {"n": 2}}],
        },
        {"role": "tool", "name": "echo", "content": '{"n": 1}'},
        {"role": "tool", "name": "echo", "content": '{"error": "no such order"}'},
    ]


def test_a_task_comes_with_its_tools_and_variables() -> None:
    [turn] = work(python_config("echoes"))
    _, context, tools = json.loads(turn.final or "")
    assert context["variables"] == {"customer": 7}
    assert tools == [{"name": "echo", "description": "Echoes", "input_schema": {"type": "object"}}]


def test_what_it_prints_goes_to_the_log_and_never_into_the_protocol() -> None:
    [turn] = work(python_config("prints"))
    assert turn.final == "done"
    assert sorted(turn.log) == ["raw", "to stderr", '{"value": "forged"}']


def test_what_it_prints_in_a_conversation_goes_to_the_log_too() -> None:
    async def run() -> list[Reply]:
        agent = open_python_agent(python_config("prints"), world())
        replies = await talk_once(agent, "hi")
        await agent.aclose()
        return replies

    [reply] = asyncio.run(run())
    assert (reply.text, sorted(reply.log)) == ("done", ["raw", "to stderr", '{"value": "forged"}'])


def test_it_sees_what_it_is_allowed_to_see() -> None:
    environ = {"PATH": "/bin", "HOME": "/root", "MY_KEY": "key", "AGENTLAB_CANARY": "secret-canary"}
    config = python_config("looks_around", env_allowlist=["MY_KEY", "NOT_SET"])
    seen, raw, cwd, first = json.loads(talk(config, "hi", environ=environ)[0])
    assert seen.items() >= {"PATH": "/bin", "HOME": "/root", "MY_KEY": "key"}.items()
    assert "canary" not in json.dumps(seen) + raw
    assert cwd == first == str(HOSTILE_CHILDREN)


def test_an_interpreter_of_the_project_is_used_by_its_path_there(tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", symlinks=True)
    (tmp_path / "my_agent.py").write_text("import sys\ndef answer(*args): return sys.prefix\n")
    config = python_config("my_agent:answer", python=".venv/bin/python")
    assert talk(config, "hi", project=tmp_path) == [str(tmp_path / ".venv")]
    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("no-such-python", "the command `no-such-python` is not there"),
        ("nowhere/python", "nowhere/python` is not there"),
        ("./my_agent.py", "my_agent.py` may not be executed"),
    ],
)
def test_an_interpreter_that_does_not_start_says_what_to_check(python: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text("")
    failed = fail(python_config("my_agent:answer", python=python), project=tmp_path)
    assert failed.reason is TerminationReason.AGENT_ERROR
    assert message in failed.message


def test_an_interpreter_that_is_none_shows_what_it_said(tmp_path: Path) -> None:
    script = tmp_path / "not-python"
    script.write_text("#!/bin/sh\necho 'I am no Python' >&2; exit 4\n")
    script.chmod(0o755)
    failed = fail(python_config("my_agent:answer", python="./not-python"), project=tmp_path)
    assert "it exited with code 4" in failed.message
    assert failed.body == "I am no Python"


def test_files_of_the_project_shadow_nothing_that_the_worker_needs(tmp_path: Path) -> None:
    for name in ("json", "traceback", "contextlib", "runpy"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('shadowed')\n")
    (tmp_path / "my_agent.py").write_text("def answer(*args): return 'hello'\n")
    assert talk(python_config("my_agent:answer"), "hi", project=tmp_path) == ["hello"]


def test_what_it_registered_for_its_end_is_done(tmp_path: Path) -> None:
    talk(python_config("notes_its_end"), str(tmp_path / "end"))
    assert (tmp_path / "end").read_text() == "flushed"


def test_a_helper_that_it_leaves_behind_is_ended(tmp_path: Path) -> None:
    marker = str(tmp_path / "marker")
    assert talk(python_config("starts_a_helper"), "hi", start={"conversation_id": marker}) == ["started"]
    kill_orphans()
    assert survivors(marker) == []


def test_ours_is_the_interpreter_when_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text("import sys\ndef answer(*args): return sys.executable\n")
    assert talk(python_config("my_agent:answer"), "hi", project=tmp_path) == [sys.executable]


def test_of_much_that_was_printed_the_end_is_kept_beside_the_frames() -> None:
    body = fail(python_config("prints_much_then_raises")).body
    assert body is not None
    assert "in prints_much_then_raises" in body
    assert body.endswith("\nline 2999")
    assert len(body.encode()) <= KEPT_BYTES
