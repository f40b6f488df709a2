"""The page on tools: its files make a project whose tools answer as the page says."""

import re
from pathlib import Path

import pytest

from agentlab_ci.core.tool import CallOutcome
from command import agentlab
from demo import ROOT
from tool_samples import Call, outcomes_of
from yaml_projects import load, write_files

PAGE = (ROOT / "docs/how-to/tools.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL))
DUPLICATE = "support.find_duplicate_charge"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert len(FILES) == PAGE.count("<!-- file:") > 4
    return write_files(tmp_path, FILES)


def call(project: Path, *calls: Call) -> list[CallOutcome]:
    return outcomes_of(project, *calls, tools=load(project).config.tools)


def test_the_commands_of_the_page_end_as_it_says(project: Path) -> None:
    ((code, arguments),) = re.findall(r"<!-- run: exit (\d+) -->\n```sh\nagentlab (.*?)\n```", PAGE)
    ended = agentlab(project, *arguments.split())
    assert ended.code == int(code), ended.out + ended.err


def test_the_tools_of_the_page_answer(project: Path) -> None:
    duplicate, rate, articles, refund = call(
        project,
        (DUPLICATE, {"customer_id": "cus_100"}),
        ("shop.rate", {}),
        ("kb.search", {"word": "refund"}),
        ("orders.refund", {"order_id": "ord_2"}),
    )
    assert duplicate.output == {"order_id": "ord_2"}
    assert rate.output == {"usd_in_eur": 0.9}
    assert articles.output == [{"id": "kb_1", "title": "How a refund is made"}]
    assert refund.output["amount"] == 20


def test_the_tools_of_the_page_fail_as_it_says(project: Path) -> None:
    nobody, misspelt, nothing = call(
        project,
        (DUPLICATE, {"customer_id": "cus_101"}),
        (DUPLICATE, {"customer": "cus_100"}),
        ("kb.search", {"word": "weather"}),
    )
    assert nobody.error == "LookupError: cus_101 was charged nothing twice"
    assert f"```text\n{misspelt.error}\n```" in PAGE
    assert nothing.error == "it exited with code 1; it said: no article holds weather"


def test_the_script_of_the_page_makes_the_records_of_its_sample(project: Path) -> None:
    scenario = project / "scenarios/double.yaml"
    text = scenario.read_text(encoding="utf-8").replace("support.find_duplicate_charge, ", "orders.list, ")
    scenario.write_text(f"{text}setup_script: set_up.py\n", encoding="utf-8")
    with (project / "agentlab.config.yaml").open("a", encoding="utf-8") as config:
        config.write("agents: [{name: clerk, provider: mock}]\n")
    ended = agentlab(project, "run", "-k", "2")
    assert ended.code == 0, ended.out + ended.err
    for sample in ended.results["scenarios"][0]["samples"]:
        (listed,) = (call["output"] for call in sample["tool_calls"] if call["name"] == "orders.list")
        assert {order["note"] for order in listed} == {f"support.double-charge, sample {sample['sample']}"}


AGENT = """\
import json

def answer(messages, context, tools):
    told = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
    calls = [
        ("support.find_duplicate_charge", {"customer": "cus_100"}),
        ("support.find_duplicate_charge", {"customer_id": "cus_100"}),
        ("orders.refund", {"order_id": "ord_2"}),
    ]
    if len(told) == len(calls):
        return "Refunded."
    name, value = calls[len(told)]
    return {"reply": "", "tool_calls": [{"name": name, "input": value}]}
"""


def test_an_agent_that_misspelt_an_argument_recovers_and_the_sample_passes(project: Path) -> None:
    agents = "agents: [{name: clumsy, provider: python, target: 'clumsy:answer'}]\n"
    write_files(project, {"clumsy.py": AGENT, "agentlab.config.yaml": agents + FILES["agentlab.config.yaml"]})
    ended = agentlab(project, "run", "--samples", "2")
    assert ended.code == 0, ended.out + ended.err
    for sample in ended.results["scenarios"][0]["samples"]:
        misspelt, found, refunded = sample["tool_calls"]
        assert "did you mean `customer_id`?" in misspelt["error"]
        assert found["output"] == {"order_id": "ord_2"}
        assert refunded["output"]["refunded"] is True
