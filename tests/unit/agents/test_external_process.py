import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from agentlab_ci.agents.external_process import ProcessSession, open_process_agent
from agentlab_ci.agents.interface import AgentFailedError, AgentTurn, AgentWorld, SessionStart
from agentlab_ci.agents.turn_parts import LEFT_OUT, LOG_CHARACTERS, LOG_LINES
from agentlab_ci.core.config import ExternalProcessAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, TaskBrief, ToolSpec
from agentlab_ci.core.trace import Usage
from agentlab_ci.processes.child import Child, kill_orphans
from agentlab_ci.processes.endings import BEGINNING_LEFT_OUT, KEPT_BYTES
from children import PROCESS_AGENT, is_alive, survivors

SOON, LATE = 300, 20_000
"""Turn limits in ms: one that is meant to be reached, and one that is not."""
START = SessionStart(scenario_id="s.one", sample=2, conversation_id="c1")
BRIEF = TaskBrief(instructions="Do it.", tools=(ToolSpec(name="echo", description="Echoes", input_schema={}),))


@dataclass
class Work:
    """What one sample brought: its turns, and the failure that ended it."""

    turns: list[AgentTurn] = field(default_factory=list)
    failure: AgentFailedError | None = None

    @property
    def final(self) -> str | None:
        return self.turns[-1].final if self.turns else None

    @property
    def failed(self) -> AgentFailedError:
        assert self.failure is not None, f"it went well: {self.turns}"
        return self.failure


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """A path that the children of a test bear in their arguments; none of them may outlive it."""
    path = tmp_path / "marker"
    yield path
    kill_orphans()
    assert survivors(path) == []


def agent_config(mode: str, marker: Path, *args: str, **more: Any) -> ExternalProcessAgent:
    given = {
        "name": "a",
        "provider": "external_process",
        "command": sys.executable,
        "args": [PROCESS_AGENT, mode, str(marker), *args],
        "turn_timeout_ms": LATE,
    }
    return ExternalProcessAgent.model_validate(given | more)


async def work_once(agent: Any, start: SessionStart = START, brief: TaskBrief = BRIEF) -> Work:
    """Work until the final answer; every call is answered with what it asked for."""
    work = Work()
    outcomes: list[CallOutcome] = []
    try:
        async with agent.task(start, brief) as session:
            while work.final is None:
                turn = await session.advance(outcomes)
                work.turns.append(turn)
                outcomes = [CallOutcome(name=call.name, output=dict(call.input)) for call in turn.calls]
    except AgentFailedError as failure:
        work.failure = failure
    return work


def world(**more: Any) -> AgentWorld:
    given: dict[str, Any] = {
        "environ": {},
        "project": Path.cwd(),
        "max_reply_bytes": 1 << 20,
        "tls": lambda: pytest.fail("no network"),
    }
    return AgentWorld(**given | more)


def work_on(
    config: ExternalProcessAgent,
    *,
    samples: int = 1,
    brief: TaskBrief = BRIEF,
    start: SessionStart = START,
    **more: Any,
) -> list[Work]:
    """Let the agent work on samples, one after another, in one slot."""

    async def run() -> list[Work]:
        agent = open_process_agent(config, world(**more))
        works = [await work_once(agent, start, brief) for _ in range(samples)]
        await agent.aclose()
        return works

    return asyncio.run(run())


def work(mode: str, marker: Path, *args: str, **more: Any) -> Work:
    return work_on(agent_config(mode, marker, *args, **more))[0]


@pytest.mark.parametrize(
    "mode",
    [
        "noise",
        "flood_of_noise_then_final",
        "no_newline",
        "closes_stdin",
        "closes_stdin_then_asks",
        "ignores_sigterm",
        "leaves_an_escaped_grandchild",
        "leaves_a_grandchild_twice_removed",
        "lives_with_an_escaped_grandchild",
        "floods_stderr_then_final",
    ],
)
def test_bad_habits_cost_nothing_as_long_as_the_answer_comes(mode: str, marker: Path) -> None:
    ended = work(mode, marker)
    assert ended.failure is None
    assert ended.final == "done"


@pytest.mark.parametrize(
    ("mode", "reason", "message"),
    [
        ("huge_line", TerminationReason.INVALID_RESPONSE_FORMAT, "a line is longer than 1048576 bytes"),
        ("nests_too_deeply", TerminationReason.INVALID_RESPONSE_FORMAT, "a line is nested too deeply"),
        ("closes_stdout", TerminationReason.AGENT_ERROR, "it closed its stdout before its final answer"),
        # it holds stdout open: the end is seen by the process, not by the pipe
        ("leaves_a_grandchild", TerminationReason.AGENT_ERROR, "it exited with code 0 before its final answer"),
        ("exits_in_mid_run", TerminationReason.AGENT_ERROR, "it exited with code 0 before its final answer"),
        ("crashes", TerminationReason.AGENT_ERROR, "it exited with code 1 before its final answer"),
        ("segfaults", TerminationReason.AGENT_ERROR, "it was ended by SIGSEGV (signal 11)"),
    ],
)
def test_a_process_that_gives_no_answer_is_an_error(
    mode: str, reason: TerminationReason, message: str, marker: Path
) -> None:
    failed = work(mode, marker).failed
    assert message in failed.message
    assert failed.reason is reason
    assert not failed.redrawable
    assert not failed.unreached


@pytest.mark.parametrize("mode", ["never_answers", "trickles", "noise_for_ever", "floods_stderr_for_ever"])
def test_the_time_limit_of_a_turn_is_total(mode: str, marker: Path) -> None:
    failed = work(mode, marker, turn_timeout_ms=SOON).failed
    assert failed.reason is TerminationReason.TIMEOUT_EXCEEDED
    assert "no reply within 300 ms (`turn_timeout_ms`)" in failed.message


def test_an_agent_that_does_not_read_what_it_is_told_runs_into_its_limit(marker: Path) -> None:
    brief = TaskBrief(instructions="x" * (1 << 20), tools=())
    [ended] = work_on(agent_config("never_reads", marker, turn_timeout_ms=SOON), brief=brief)
    assert ended.failed.reason is TerminationReason.TIMEOUT_EXCEEDED


def test_what_an_agent_that_closed_its_stdin_said_counts_however_much_it_was_told(marker: Path) -> None:
    brief = TaskBrief(instructions="x" * (1 << 20), tools=())
    assert work_on(agent_config("closes_stdin", marker), brief=brief)[0].final == "done"


def test_an_agent_may_print_more_than_a_pipe_holds_before_it_reads(marker: Path) -> None:
    brief = TaskBrief(instructions="x" * (1 << 20), tools=())
    config = agent_config("flood_of_noise_then_final", marker)
    assert work_on(config, brief=brief)[0].final == "done"


def test_a_crash_costs_its_own_sample_only(marker: Path) -> None:
    works = work_on(agent_config("crashes_every_second_start", marker), samples=4)
    assert [w.final for w in works] == [None, "done", None, "done"]
    assert [w.failure and w.failure.reason for w in works] == [TerminationReason.AGENT_ERROR, None] * 2


def test_a_crash_shows_what_was_said_on_stderr(marker: Path) -> None:
    body = work("crashes", marker).failed.body
    assert body is not None
    assert body.endswith("RuntimeError: out of luck")


def test_of_a_flood_on_stderr_the_end_is_shown_and_no_half_of_a_secret(marker: Path) -> None:
    def mask(text: str) -> str:
        return text.replace("eeee", "****")

    [ended] = work_on(agent_config("floods_stderr_then_exits", marker), mask=mask)
    body = ended.failed.body
    assert body is not None
    assert set(body.removeprefix(BEGINNING_LEFT_OUT)) == {"*"}
    assert len(body.encode()) == KEPT_BYTES


def test_of_a_long_traceback_the_last_line_is_kept_and_told(marker: Path) -> None:
    failed = work("complains_at_length_and_crashes", marker).failed
    assert failed.message.endswith("it exited with code 1 before its final answer: ValueError: the last line")
    assert failed.body is not None
    assert failed.body.startswith("printed\n" + BEGINNING_LEFT_OUT)
    assert failed.body.endswith("\nValueError: the last line")
    assert len(failed.body.encode()) <= KEPT_BYTES


def test_no_secret_is_cut_in_half_where_the_end_is_kept(marker: Path) -> None:
    secret = "x" * 1900  # what is printed is longer than its room, and all of it secret

    def mask(text: str) -> str:
        return text.replace(secret, "***")

    agent = agent_config("prints_and_repeats_to_stderr", marker, secret)
    [ended] = work_on(agent, mask=mask)
    assert "x" * 10 not in (ended.failed.body or "") + ended.failed.message


class Flood:
    """A child of which 2,000 lines have come already."""

    read = 0

    async def read_line(self) -> bytes:
        self.read += 1
        return b"" if self.read < 2000 else b'{"type": "final", "output": "done"}'

    def take_stderr(self) -> str:
        return ""


def test_others_get_their_turn_while_one_floods(marker: Path) -> None:
    async def run() -> list[int]:
        session, flood = ProcessSession(agent_config("any", marker), world(), b""), Flood()
        session.child = cast("Child", flood)
        working = asyncio.create_task(session.advance([]))
        read = [0]
        while not working.done():
            await asyncio.sleep(0)
            read.append(flood.read)
        assert (await working).final == "done"
        return read

    read = asyncio.run(run())
    assert max(later - earlier for earlier, later in pairwise(read)) <= 200


def test_without_stderr_a_failure_shows_what_was_printed(marker: Path) -> None:
    assert work("prints_and_exits", marker).failed.body == "no such model"


def test_what_is_no_json_object_goes_to_the_log(marker: Path) -> None:
    asked, answered = work("noise", marker).turns
    assert asked.log == ("starting up", "", "[1, 2]", '"text"', "{not json")
    assert answered.log == ("between the lines",)


def test_the_log_is_bounded(marker: Path) -> None:
    [turn] = work("flood_of_noise_then_final", marker).turns
    assert len(turn.log) == LOG_LINES + 1
    assert turn.log[0] == ("noise " * 200)[:LOG_CHARACTERS] + LEFT_OUT
    assert turn.log[-1] == LEFT_OUT


def test_bytes_that_are_not_utf8_are_replaced_and_noted(marker: Path) -> None:
    [turn] = work("bad_utf8", marker).turns
    assert turn.final == "caf\ufffd"
    assert turn.log == ("\ufffd noise",)
    assert turn.note is not None
    assert "not UTF-8" in turn.note


def test_calls_that_come_at_once_are_turns_of_their_own_and_told_in_order(marker: Path) -> None:
    one, two, last = work("two_calls_at_once", marker).turns
    assert [call.name for call in (*one.calls, *two.calls)] == ["one", "two"]
    assert [heard["toolName"] for heard in json.loads(last.final or "")] == ["one", "two"]


def test_an_agent_is_told_its_job_in_the_words_of_the_protocol(marker: Path) -> None:
    brief = TaskBrief(
        instructions="Refund \ud83d it.",  # half a surrogate pair passes through JSON
        tools=(ToolSpec(name="orders.refund", description="Refunds", input_schema={"type": "object"}),),
        variables={"customer": {"id": 7}},
        max_steps=5,
    )
    [ended] = work_on(agent_config("echoes_its_start", marker), brief=brief)
    assert json.loads(ended.final or "") == {
        "type": "run_started",
        "input": {
            "instructions": "Refund \ud83d it.",
            "availableTools": [
                {"name": "orders.refund", "description": "Refunds", "inputSchema": {"type": "object"}}
            ],
            "context": {"customer": {"id": 7}},
            "maxSteps": 5,
            "metadata": {"scenarioId": "s.one", "provider": "external_process", "sample": 2},
        },
    }


def test_a_system_prompt_goes_with_the_metadata(marker: Path) -> None:
    start = SessionStart(scenario_id="s.one", sample=1, conversation_id="c", system_prompt="Be brief.")
    [ended] = work_on(agent_config("echoes_its_start", marker), start=start)
    assert json.loads(ended.final or "")["input"]["metadata"]["systemPrompt"] == "Be brief."


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (CallOutcome(name="echo", output=[1, None]), {"result": [1, None]}),
        (CallOutcome(name="echo", output=None), {"result": None}),
        (CallOutcome(name="echo", error="no such order"), {"error": "no such order"}),
    ],
)
def test_an_agent_is_told_what_came_of_its_call(outcome: CallOutcome, told: Any, marker: Path) -> None:
    async def run() -> str | None:
        agent = open_process_agent(agent_config("asks_and_echoes", marker), world())
        async with agent.task(START, BRIEF) as session:
            await session.advance([])
            turn = await session.advance([outcome])
        await agent.aclose()
        return turn.final

    assert json.loads(asyncio.run(run()) or "") == {"type": "tool_result", "toolName": "echo"} | told


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "tool_call", "input": {}}', "needs `toolName`, the name of a tool, but it is missing"),
        ('{"type": "tool_call", "toolName": "", "input": {}}', "`toolName`, the name of a tool, but it is empty"),
        ('{"type": "tool_call", "toolName": "t"}', "needs `input`, an object, but it is missing"),
        (
            '{"type": "tool_call", "toolName": "t", "input": [1]}',
            "needs `input`, an object, but it is a list of 1",
        ),
        ('{"type": "final"}', "a line of the type `final` needs `output`, a text, but it is missing"),
        ('{"type": "final", "output": {"a": 1}}', "needs `output`, a text, but it is an object with a"),
        ('{"type": "error"}', "a line of the type `error` needs `message`, a text, but it is missing"),
        ('{"type": "finale"}', "needs the `type` `tool_call`, `final` or `error`, but it is `finale`"),
        ('{"type": 1}', "but it is a number"),
        ('{"output": "x"}', "but it is missing"),
        ('{"type": "tool_call", "toolName": "t", "input": {"n": NaN}}', "NaN in a line is no JSON"),
        ('{"type": "tool_call", "toolName": "t", "input": {"n": 1e999}}', "1e999 in a line is too large a number"),
        ('{"type": "final", "output": "done", "n": ' + "9" * 5000 + "}", "in a line is too large a number"),
        ('{"type": "final", "output": "done", "n": ' + "9" * 310 + "}", "in a line is too large a number"),
        (
            '{"type": "tool_call", "toolName": "t", "input": {"n": ' + "[" * 100 + "]" * 100 + "}}",
            "nested more than 64 levels deep",
        ),
    ],
)
def test_an_object_that_the_protocol_does_not_know_is_an_invalid_answer(
    line: str, message: str, marker: Path
) -> None:
    failed = work("says_what_it_is_given", marker, line).failed
    assert failed.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    assert message in failed.message
    assert (failed.body or "")[:20] == line[:20], "the line is shown, so that its origin can be found"


def test_what_is_said_on_stderr_goes_to_the_log_too(marker: Path) -> None:
    [turn] = work("complains_then_answers", marker).turns
    assert (turn.final, turn.message) == ("done", "at last")
    assert turn.log == ("printed", "STDERR WORDS")


def test_the_agent_is_told_what_was_wrong_and_that_nothing_more_comes(marker: Path) -> None:
    failed = work("notes_what_it_hears_last", marker).failed
    heard = json.loads(marker.read_text())
    assert heard["type"] == "runner_error"
    assert heard["message"] in failed.message


@pytest.mark.parametrize(("retryable", "redrawable"), [("true", True), ("false", False), ('"yes"', False)])
def test_an_agent_may_give_up_and_say_whether_to_try_again(retryable: str, redrawable: bool, marker: Path) -> None:
    line = f'{{"type": "error", "message": "no quota", "retryable": {retryable}}}'
    failed = work("says_what_it_is_given", marker, line).failed
    assert failed.reason is TerminationReason.AGENT_ERROR
    assert failed.message.endswith("it gave up: no quota")
    assert failed.redrawable is redrawable


@pytest.mark.parametrize(
    ("more", "usage"),
    [
        ("", Usage()),
        (
            ', "usage": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5}',
            Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
        ),
        (', "usage": {"input_tokens": -1, "output_tokens": "4", "cost_usd": true}', Usage()),
        (', "usage": 7', Usage()),
    ],
)
def test_usage_is_read_where_it_makes_sense(more: str, usage: Usage, marker: Path) -> None:
    ended = work("says_what_it_is_given", marker, f'{{"type": "final", "output": "done"{more}}}')
    assert ended.turns[0].usage == usage


@pytest.mark.parametrize(
    ("metadata", "message"), [('{"message": "Let me see"}', "Let me see"), ('{"message": 1}', None), ("1", None)]
)
def test_words_beside_a_call_are_kept(metadata: str, message: str | None, marker: Path) -> None:
    line = f'{{"type": "tool_call", "toolName": "t", "input": {{}}, "metadata": {metadata}}}'

    async def run() -> str | None:
        agent = open_process_agent(agent_config("says_what_it_is_given", marker, line), world())
        async with agent.task(START, BRIEF) as session:
            turn = await session.advance([])
        await agent.aclose()
        return turn.message

    assert asyncio.run(run()) == message


def test_an_agent_sees_what_it_is_allowed_to_see(marker: Path) -> None:
    environ = {"PATH": "/bin", "HOME": "/root", "MY_KEY": "key", "AGENTLAB_CANARY": "secret-canary"}
    config = agent_config("shows_its_environment", marker, env_allowlist=["MY_KEY", "NOT_SET"])
    [ended] = work_on(config, environ=environ)
    seen, raw = json.loads(ended.final or "")
    assert seen.items() >= {"PATH": "/bin", "HOME": "/root", "MY_KEY": "key"}.items()
    assert "canary" not in json.dumps(seen) + raw


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"command": "no-such-program"}, "the command `no-such-program` is not there: install it"),
        (
            {"command": "no-such-program"},
            "use the `composite` Action instead, or an image of your own built `FROM`",
        ),
        ({"command": "./plain.txt"}, "`./plain.txt` may not be executed: `chmod +x` it"),
        ({"command": "./empty"}, "`./empty` is no program for this machine"),
        ({"command": "./lost"}, "the interpreter that the first line of `./lost` names is not there"),
        ({"command": "sh", "cwd": "nowhere"}, "nowhere` to run `sh` in"),
        ({"args": ["\0"]}, "did not start: embedded null byte"),
    ],
)
def test_a_command_that_does_not_start_says_what_to_check(
    more: dict[str, Any], message: str, tmp_path: Path, marker: Path
) -> None:
    (tmp_path / "plain.txt").write_text("")
    for name, text in (("empty", "\n"), ("lost", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    [ended] = work_on(agent_config("noise", marker, **more), project=tmp_path)
    assert ended.failed.reason is TerminationReason.AGENT_ERROR
    assert message in ended.failed.message


def test_after_its_final_answer_a_process_may_end_by_itself(marker: Path) -> None:
    pid = int(work("ends_by_itself", marker).final or "")
    assert marker.read_text() == "ended by itself"
    assert not is_alive(pid)


def test_a_process_that_lingers_holds_up_nothing_and_is_ended(marker: Path) -> None:
    async def run() -> list[int]:
        agent = open_process_agent(agent_config("stays_after_final", marker), world())
        first = int((await work_once(agent)).final or "")
        assert is_alive(first)
        second = int((await work_once(agent)).final or "")
        await agent.aclose()
        return [first, second]

    assert not any(is_alive(pid) for pid in asyncio.run(run()))


def test_a_sample_that_is_cancelled_takes_its_process_along(marker: Path) -> None:
    async def run() -> None:
        agent = open_process_agent(agent_config("two_calls_at_once", marker), world())
        async with agent.task(START, BRIEF) as session:
            await session.advance([])
            await session.advance([])
            waiting = asyncio.create_task(session.advance([]))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            assert waiting.cancelled()
        assert survivors(marker) == []
        await agent.aclose()

    asyncio.run(run())
