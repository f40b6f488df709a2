"""The page on the process protocol: agentlab says and does what stands there."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.config import Config, ExternalProcessAgent
from agentlab_ci.core.scenario import Task
from command import Ended, agentlab, write_project
from doc_pages import read_page

PAGE = read_page("reference/protocol.md")
DIALOGUE = [line for line in PAGE.text.splitlines() if line.startswith(("> ", "< "))]

PLAYER = """
import json, sys
heard, said = open("heard", "w"), open("said").read().splitlines()
for line in (*said, None):
    heard.write(sys.stdin.readline())
    heard.flush()
    if line is not None:
        print(line, flush=True)
"""
"""An agent that says its lines, one for each that it hears, and notes what it hears."""


def process(name: str, code: str, *args: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "provider": "external_process",
        "command": sys.executable,
        "args": ["-c", code, *args],
    } | more


def task(number: int, agent: str) -> dict[str, Any]:
    return {
        "id": f"protocol.s{number}",
        "name": agent,
        "suite": "protocol",
        "agent": agent,
        "task": {"instructions": "Say that you are done."},
        "tools": {"allowed": ["orders.list"]},
        "evaluators": [{"type": "exact_final_answer", "mode": "hard_gate", "config": {"expected": "done"}}],
    }


def run_each(folder: Path, agents: list[dict[str, Any]]) -> list[Any]:
    """Run one sample on each agent and return the samples in their order."""
    scenarios = [task(number, agent["name"]) for number, agent in enumerate(agents)]
    ended = agentlab(
        write_project(folder, {"agents": agents, "max_reply_bytes": 1 << 20}, scenarios),
        "run",
        "--concurrency",
        "4",
    )
    assert ended.code == 1, ended.out + ended.err
    return [sample for row in ended.results["scenarios"] for sample in row["samples"]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = PAGE.write(tmp_path_factory.mktemp("dialogue"))
    agent = process("player", PLAYER)
    (folder / "agentlab.config.yaml").write_text(json.dumps({"agents": [agent]}), encoding="utf-8")
    said = "\n".join(line[2:] for line in DIALOGUE if line.startswith(">"))
    (folder / "said").write_text(said, encoding="utf-8")
    return agentlab(folder, "run")


def test_agentlab_says_what_the_page_says(played: Ended) -> None:
    assert played.code == 0, played.out + played.err
    heard = [json.loads(line) for line in (played.folder / "heard").read_text(encoding="utf-8").splitlines()]
    (start,) = PAGE.blocks("heard")
    assert heard == [json.loads(start), *(json.loads(line[2:]) for line in DIALOGUE if line.startswith("<"))]


def test_agentlab_understands_what_the_page_says(played: Ended) -> None:
    (sample,) = played.results["scenarios"][0]["samples"]
    assert sample["final_output"] == "Refunded ord_2001."
    assert "Those were two letters." in [turn["text"] for turn in sample["turns"]]
    assert sample["usage"] == {"input_tokens": 470, "output_tokens": 42, "cost_usd": 0.0008}


SAYS_ONE_LINE = """
import sys
sys.stdin.readline()
print(sys.argv[1], flush=True)
open(sys.argv[2], "w").write(sys.stdin.readline())
"""
MISTAKES = PAGE.rows("| line | message |")


def test_every_mistake_in_a_line_is_told_to_the_user_and_the_agent(tmp_path: Path) -> None:
    assert len(MISTAKES) > 7
    agents = [
        process(f"mistake-{number}", SAYS_ONE_LINE, line.strip("`"), f"told-{number}")
        for number, (line, _) in enumerate(MISTAKES)
    ]
    for number, (sample, (_, message)) in enumerate(zip(run_each(tmp_path, agents), MISTAKES, strict=True)):
        assert sample["termination_reason"] == "invalid_response_format"
        assert sample["error"]["message"] == f"`{sys.executable}`: {message}"
        told = json.loads((tmp_path / f"told-{number}").read_text(encoding="utf-8"))
        assert told == {"type": "runner_error", "message": message}


FINAL = """'{"type": "final", "output": "done"}'"""
HABITS = {
    "ends before `final`, with whatever exit code": "import sys; sys.exit(3)",
    "is ended by a signal": "import os; os.kill(os.getpid(), 15); import time; time.sleep(1000)",
    "closes its stdout": "import os, time; os.close(1); time.sleep(1000)",
    "does not flush what it wrote, or waits for more to read": f"import time; print({FINAL}); time.sleep(1000)",
    "writes a line without an end": "import time; print('x' * (2 << 20), end='', flush=True); time.sleep(1000)",
    "writes bytes that are not UTF-8": (
        """import sys; sys.stdout.buffer.write(b'{"type": "final", "output": "caf\\xe9"}')"""
    ),
    "forgets the newline after its last line and ends": f"print({FINAL}, end='')",
    "stays after `final`, or leaves children behind": f"import time; print({FINAL}, flush=True); time.sleep(1000)",
    "writes two answers": f"print({FINAL}); print({FINAL.replace('done', 'never')})",
}
"""What a process does wrong, as a program."""
QUICK = {"does not flush what it wrote, or waits for more to read": {"turn_timeout_ms": 1500}}


def test_every_habit_of_a_process_ends_as_the_page_says(tmp_path: Path) -> None:
    rows = {row[0]: row for row in PAGE.rows("| it | the sample is | message |")}
    assert rows.keys() == HABITS.keys()
    agents = [
        process(habit, code, turn_timeout_ms=60_000) | QUICK.get(habit, {}) for habit, code in HABITS.items()
    ]
    for sample, habit in zip(run_each(tmp_path, agents), HABITS, strict=True):
        _, end, message = rows[habit]
        if end.startswith("an error"):
            assert end == f"an error, `{sample['termination_reason']}`", habit
            assert sample["error"]["message"] == f"`{sys.executable}`: {message}"
        else:
            assert end.startswith("judged")
            assert sample["termination_reason"] == "completed", habit
            assert sample["final_output"] == ("caf\ufffd" if message else "done")
            assert (sample["turns"][-1]["note"] or "") == message


def test_the_limits_are_those_of_the_code() -> None:
    agent = ExternalProcessAgent(name="a", provider="external_process", command="a")
    config = Config()
    table = "| | limit | set by | the sample then |"
    limits = {set_by: limit for _, limit, set_by, _ in PAGE.rows(table)}
    assert limits == {
        "`turn_timeout_ms`": f"{agent.turn_timeout_ms / 1000:g} s",
        "`max_reply_bytes`": f"{config.max_reply_bytes:,} bytes",
        "the scenario's `runtime.max_steps`": str(Task(instructions="", tools_allowed=()).max_steps),
        "the scenario's `runtime.timeout_seconds`": "none",
        "`sample_timeout_seconds`": f"{config.sample_timeout_seconds:g} s",
    }
