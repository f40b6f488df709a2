"""The page on degraded conditions: its files make a project that goes as the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from command import agentlab
from doc_pages import read_page
from loopback import hostile_agent

PAGE = read_page("how-to/degraded-conditions.md")
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The samples of every scenario that a command of the page runs; each command ends as the page says."""
    found: Rows = {}
    assert len(PAGE.commands) == PAGE.text.count("<!-- run:")
    for code, arguments in PAGE.commands:
        ended = agentlab(PAGE.write(tmp_path_factory.mktemp("degraded")), *arguments)
        assert ended.code == code, ended.out + ended.err
        found |= {row["scenario_id"]: row["samples"] for row in ended.results["scenarios"]}
    return found


def faults(sample: dict[str, Any]) -> list[str | None]:
    return [call["fault"] for call in sample["tool_calls"]]


def test_a_slow_tool_is_told_of(samples: Rows) -> None:
    (slow,) = samples["support.orders-are-slow"]
    assert faults(slow) == [None, "timeout"]
    assert slow["tool_calls"][1]["error"] == "no result within 200 ms"


def test_an_agent_recovers_from_one_garbled_answer(samples: Rows) -> None:
    for sample in samples["support.garbled-refund"]:
        assert faults(sample) == ["malformed_output", None]
        assert sample["final_output"] == "Refunded, at attempt 2."


def test_shaky_tools_are_as_shaky_as_the_page_says(samples: Rows) -> None:
    drawn = [faults(sample) for sample in samples["support.shaky-refund"]]
    assert len({tuple(calls) for calls in drawn}) > 1, "samples differ"
    assert {"error", None} == {fault for calls in drawn for fault in calls}
    assert [
        call["error"] for s in samples["support.shaky-refund"] for call in s["tool_calls"] if call["fault"]
    ] == ["the bank is closed"] * sum(calls.count("error") for calls in drawn)


def test_a_conversation_goes_on_where_it_was(samples: Rows) -> None:
    (sample,) = samples["travel.remembers-the-seat"]
    assert sample["final_output"] == "Ada, you said: I like aisle seats."
    assert [event["text"] for event in sample["trace"] if event["kind"] == "seed"] == [
        "user: I like aisle seats.",
        "assistant: I will remember it.",
    ]


def test_an_upstream_that_hiccups_is_got_over(tmp_path: Path) -> None:
    ((code, arguments),) = re.findall(
        r"<!-- run with the server: exit (\d+) -->\n```sh\nagentlab (.*?)\n```", PAGE.text
    )
    folder = PAGE.write(tmp_path)
    config = folder / "agentlab.config.yaml"
    with hostile_agent() as web:
        text = config.read_text(encoding="utf-8")
        config.write_text(text.replace("http://localhost:3000/chat", web.url("/ok")), encoding="utf-8")
        ended = agentlab(folder, *arguments.split())
    assert ended.code == int(code), ended.out + ended.err
    ((sample,),) = (row["samples"] for row in ended.results["scenarios"])
    assert [redraw["reason"] for redraw in sample["redraws"]] == ["http_connection_failed"]
    assert [wait["status"] for wait in sample["waits"]] == [503]
    assert web.requests == {"/ok": 1}, "the third of its requests, and the only one that was sent"


def test_all_that_the_page_configures_has_an_effect(tmp_path: Path) -> None:
    ended = agentlab(PAGE.write(tmp_path), "validate")
    assert ended.code == 0, ended.err
    assert "note:" not in ended.out
