"""The pages on agents of a project's own: their projects run as they stand, and mistakes end as they say."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from command import agentlab, write_project
from doc_pages import DocPage, read_page

PROCESSES = read_page("how-to/process-agents.md")
FUNCTIONS = read_page("how-to/python-agents.md")


@pytest.mark.parametrize("page", [PROCESSES, FUNCTIONS], ids=["process", "python"])
def test_every_command_ends_as_the_page_says(page: DocPage, tmp_path: Path) -> None:
    assert len(page.commands) == page.text.count("```sh") > 0
    page.run(tmp_path)


def use_config(page: DocPage, folder: Path) -> Path:
    """Write the page's files, and in its config the agents that it shows later; they win by their names."""
    file = page.write(folder) / "agentlab.config.yaml"
    (shown,) = page.blocks("config")
    agents = {
        agent["name"]: agent for text in (page.files[file.name], shown) for agent in yaml.safe_load(text)["agents"]
    }
    file.write_text(yaml.safe_dump({"agents": [*agents.values()]}), encoding="utf-8")
    return folder


def answer_of(folder: Path, *args: str) -> Any:
    ended = agentlab(folder, "run", *args)
    (row,) = ended.results["scenarios"]
    return row["samples"][0]


def test_the_adapter_lets_an_assistant_work_that_knows_nothing_of_agentlab(tmp_path: Path) -> None:
    sample = answer_of(use_config(PROCESSES, tmp_path), "support.count-orders", "--agent", "assistant")
    assert sample["error"] is None
    assert sample["final_output"] == "The first order is ord_2000."


def test_the_adapter_hands_errors_on(tmp_path: Path) -> None:
    folder = use_config(PROCESSES, tmp_path)
    assistant = folder / "shop/assistant.py"
    text = assistant.read_text(encoding="utf-8")
    assistant.write_text(
        text.replace("(customer_id='cus_101')[0]['id']", "(customer='cus_101')"), encoding="utf-8"
    )
    sample = answer_of(folder, "support.count-orders", "--agent", "assistant")
    assert "`customer` is unknown" in sample["final_output"]


def test_a_job_can_be_given_by_hand(tmp_path: Path) -> None:
    (command,) = (line for line in PROCESSES.text.splitlines() if line.startswith("echo "))
    done = subprocess.run(["sh", "-c", command], cwd=PROCESSES.write(tmp_path), capture_output=True, check=False)
    assert done.stdout.startswith(b'{"type": "tool_call", "toolName": "orders.list"')


def test_a_bot_is_wrapped_in_three_lines(tmp_path: Path) -> None:
    folder = FUNCTIONS.write(tmp_path)
    bot = "class Bot:\n    def reply(self, text, history):\n        return f'{len(history)} 2 times {text}'\n"
    (folder / "shop/bot.py").write_text(bot, encoding="utf-8")
    config = (folder / "agentlab.config.yaml").read_text(encoding="utf-8").replace("shop.desk", "shop.bot_agent")
    (folder / "agentlab.config.yaml").write_text(config, encoding="utf-8")
    assert answer_of(folder, "support.ask-twice")["final_output"] == "2 2 times Is anybody there?"


def test_the_interpreter_of_a_project_is_found_in_its_folder(tmp_path: Path) -> None:
    folder = use_config(FUNCTIONS, tmp_path)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch used\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    assert answer_of(folder, "support.count-orders")["final_output"] == "There are 3 orders."
    assert (folder / "used").exists()


MISTAKES = FUNCTIONS.rows("| the function | reason | message |")


def test_every_mistake_of_a_function_ends_as_the_page_says(tmp_path: Path) -> None:
    assert len(MISTAKES) > 6
    agents, scenarios = [], []
    for number, (body, reason, _) in enumerate(MISTAKES):
        code = f"import os, sys, time\n\n\ndef answer(messages, context, tools):\n    {body.strip('`')}\n"
        (tmp_path / f"agent_{number}.py").write_text(code, encoding="utf-8")
        limit = 2000 if reason == "`timeout_exceeded`" else 60_000
        agents.append(
            {
                "name": f"a{number}",
                "provider": "python",
                "target": f"agent_{number}:answer",
                "turn_timeout_ms": limit,
            }
        )
        scenarios.append(
            {
                "id": f"mistake.s{number}",
                "name": f"{number}",
                "suite": "mistake",
                "type": "conversation",
                "agent": f"a{number}",
                "steps": [{"role": "user", "message": "Hello?"}],
            }
        )
    ended = agentlab(write_project(tmp_path, {"agents": agents}, scenarios), "run")
    samples = [sample for row in ended.results["scenarios"] for sample in row["samples"]]
    for number, (sample, (_, reason, message)) in enumerate(zip(samples, MISTAKES, strict=True)):
        assert f"`{sample['termination_reason']}`" == reason
        assert sample["error"]["message"] == f"`agent_{number}:answer`: {message}"
