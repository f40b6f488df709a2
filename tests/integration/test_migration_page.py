"""What the page on migrating says of a project that was made for agent-regression-lab."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from command import agentlab
from doc_pages import read_page
from yaml_projects import write_files

PAGE = read_page("how-to/migrate-from-agent-regression-lab.md")

CONFIG = """\
agents:
  - {name: mock-default, provider: mock, label: mock-default}
tools:
  - name: shop.find_gift
    modulePath: user_tools/findGift.ts
    exportName: findGift
    description: Find a gift for a customer.
    inputSchema: {type: object, properties: {customer_id: {type: string}}}
"""

TASK = """\
id: shop.gift
name: Find A Gift
suite: shop
task:
  instructions: Find a gift.
tools:
  allowed: [shop.find_gift]
evaluators:
  - {type: tool_call_assertion, mode: hard_gate, config: {tool: shop.find_gift, match: {customer_id: cus_100}}}
"""

CONVERSATION = """\
id: shop.talk
name: Talk
suite: shop
type: conversation
steps:
  - role: user
    message: Hello?
    evaluators:
      - {type: response_contains, mode: hard_gate, config: {keywords: [hello]}}
"""

SPOILT = {
    "TypeScript tool": (TASK, ""),
    "setup script": (f"{TASK}setup_script: ./seed.ts\n", ""),
    "context in the task": (TASK.replace("gift.\ntools", "gift.\n  context: {customer_id: c}\ntools"), ""),
    "text": (TASK, CONVERSATION.replace("keywords: [hello]", "text: hello")),
}


def validate(folder: Path, *scenarios: str) -> list[str]:
    """Return the problems that validate names."""
    files = {"agentlab.config.yaml": CONFIG, "user_tools/findGift.ts": "", "seed.ts": ""}
    write_files(folder, {**files, "scenarios/all.yaml": "---\n".join(filter(None, scenarios))})
    return agentlab(folder, "validate").err.splitlines()


@pytest.mark.parametrize("name", SPOILT)
def test_a_message_in_the_table_is_said(tmp_path: Path, name: str) -> None:
    problems = validate(tmp_path, *SPOILT[name])
    messages = [message for message, _ in PAGE.rows("| message | what to do |")]
    assert len(messages) == len(SPOILT)
    said = [message for message in messages if any(problem.endswith(message) for problem in problems)]
    assert len(said) == len(problems) > 0, problems
    assert messages[list(SPOILT).index(name)] in said


def test_the_old_history_stops_a_run_before_it_begins(tmp_path: Path) -> None:
    write_talk(tmp_path)
    (tmp_path / "artifacts").mkdir()
    with closing(sqlite3.connect(tmp_path / "artifacts/agentlab.db")) as connection:
        connection.execute("CREATE TABLE scenarios (id TEXT PRIMARY KEY)")
    ended = agentlab(tmp_path, "run")
    [shown] = [block for block in PAGE.text.split("```text\n")[1:] if "agentlab.db" in block]
    assert (ended.code, ended.err.replace(f"{tmp_path}/", "")) == (2, shown.partition("```")[0])


def test_the_old_messages_are_kept(tmp_path: Path) -> None:
    assert agentlab(write_talk(tmp_path), "run").code == 0
    for arguments, message in (
        (["show", "run_1778520123456"], "Run 'run_1778520123456' not found"),
        (["compare", "--suite", "batch_1"], "Missing baseline or candidate suite batch id"),
    ):
        assert f"`{message}`" in PAGE.text
        assert message in agentlab(tmp_path, *arguments).err


def write_talk(folder: Path) -> Path:
    config = "agents: [{name: mock-default, provider: mock, replies: [{reply: hello}]}]\n"
    return write_files(folder, {"agentlab.config.yaml": config, "scenarios/talk.yaml": CONVERSATION})
