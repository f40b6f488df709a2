"""`agentlab judge-check`: stored transcripts go to the judge again, and what it says is counted as it is."""

import asyncio
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loopback
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.trace import ToolCall
from agentlab_ci.reports.json_report import render_json
from canned import CANNED_REPORTS, scenario, simulation_scenario
from command import Ended, agentlab, start_agentlab, wait_for
from factories import make_report
from loopback import HostileAgent, Request, Route, closed_port, hostile_agent
from openai_talk import says
from stored import run_id, store_batch, store_killed_batch
from yaml_projects import write_files

PATH = "/v1/chat/completions"
KEY = "sk-judge-canary-123456"
AT = "2026-04-07T00:12:30Z"
REFUNDED = json.dumps({"reason": "It was refunded.", "met": True})
NOT_REFUNDED = json.dumps({"reason": f"Nothing was refunded; {KEY}.", "met": False})
Judge = Callable[[int, str], str]
"""What is said to the n-th request, from 1, which holds this transcript."""


def keyword_judge(_: int, asked: str) -> str:
    return REFUNDED if "refunded" in asked.partition("<transcript-")[2].lower() else NOT_REFUNDED


@pytest.fixture
def server() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


def answer_as(judge: Judge) -> Route:
    async def route(_: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        said = judge(count, request.body["messages"][1]["content"])
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        await loopback.fixed(json.dumps(says(said) | {"usage": usage}).encode())(_, request, count, writer)

    return route


def project(folder: Path, base_url: str, report: RunReport, **more: Any) -> Path:
    price = {"input_per_million": 100, "output_per_million": 1000}
    judge = {"model": "gpt-judge", "base_url": base_url, "api_key_env": "JUDGE_KEY", "price": price}
    config = {"concurrency": 2, "judge": judge} | more
    files: dict[str, str | bytes] = {"agentlab.config.yaml": json.dumps(config), "r.json": render_json(report)}
    return write_files(folder, files)


def check(folder: Path, *args: str) -> Ended:
    return agentlab(folder, "judge-check", *args, environ={"JUDGE_KEY": KEY})


@pytest.fixture
def ask(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Judge, RunReport, int], Ended]:
    def ask_(judge: Judge, report: RunReport, times: int = 5) -> Ended:
        monkeypatch.setitem(loopback.ROUTES, PATH, answer_as(judge))
        return check(project(tmp_path, server.url("/v1"), report), "r.json", "-n", str(times))

    return ask_


def test_a_judge_that_agrees_and_what_it_was_asked(
    ask: Callable[[Judge, RunReport, int], Ended], server: HostileAgent
) -> None:
    ended = ask(keyword_judge, make_report(simulation_scenario("a.b", "met", "missed", "no_judge")), 2)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "a.b",
        "  sample 1/3 ✓ met      2/2 agree  run_1",
        "  sample 2/3 ✗ not met  2/2 agree  run_2",
        "agreement: 4/4 (1.00), 95% interval 0.51–1.00",
        "stored as met: 2/2 (1.00) met again · stored as not met: 2/2 (1.00) not met again",
        "judge: 400 input tokens, 40 output tokens, $0.08",
    ]
    assert ended.err.splitlines() == [
        "judging 2 transcripts 2 times with gpt-judge",
        "left out, because no judgement is stored: 1 sample",
    ]
    asked = [request.body["messages"][1]["content"] for request in server.received]
    assert all("You were charged twice for order 1024." in text for text in asked)
    assert all("refunds one of the two charges, and says so" in text for text in asked)
    assert sum("I have noted your complaint." in text for text in asked) == 2
    assert len({re.findall(r"<transcript-(\w+)>", text)[0] for text in asked}) == 4
    assert {request.headers["authorization"] for request in server.received} == {f"Bearer {KEY}"}


def test_samples_that_no_judge_was_asked_about_are_counted(ask: Callable[[Judge, RunReport, int], Ended]) -> None:
    row = simulation_scenario("SCN_aB3k", "vetoed", "met", "vetoed", "no_user", "no_judge", name="Refund once")
    samples = [
        it.model_copy(update={"evaluations": it.evaluations[:1]}) if it.sample in (1, 3) else it
        for it in row.samples
    ]
    ended = ask(keyword_judge, make_report(row.model_copy(update={"samples": tuple(samples)})), 1)
    assert ended.err.splitlines() == [
        "judging 1 transcript 1 time with gpt-judge",
        "left out, because a hard gate failed before a judge was asked: 2 samples",
        "left out, because no judgement is stored: 2 samples",
    ]
    assert ended.out.splitlines()[:2] == [
        "Refund once (SCN_aB3k)",
        "  sample 2/5 ✓ met      1/1 agree  run_2",
    ]


def test_what_an_import_lacks_is_not_judged(
    ask: Callable[[Judge, RunReport, int], Ended], server: HostileAgent
) -> None:
    """LiveKit gives no reason where it is content, may keep no talk, and has seen the calls of tools."""
    row = simulation_scenario("a.b", "met", "met", "missed", "met")
    first, second, third, last = row.samples
    samples = (
        first.model_copy(update={"evaluations": ()}),
        second.model_copy(update={"turns": (), "trace": ()}),
        third.model_copy(update={"tool_calls": (ToolCall(name="cancel_order", input={}),)}),
        last,
    )
    imported = row.model_copy(update={"samples": samples})
    unknown = simulation_scenario("a.c", "met", brief=None)
    ended = ask(keyword_judge, make_report(imported, unknown), 1)
    assert ended.err.splitlines() == [
        "judging 2 transcripts 1 time with gpt-judge",
        "left out, because no judgement is stored: 1 sample",
        "left out, because nothing that was said is stored: 1 sample",
        "left out, because nobody knows what was expected: 1 sample",
        "not shown to the judge: the tool calls of 1 transcript",
    ]
    assert re.findall("sample ./.", ended.out) == ["sample 3/4", "sample 4/4"]
    assert server.requests[PATH] == 2


def test_a_judge_that_disagrees_says_why_and_no_secret(ask: Callable[[Judge, RunReport, int], Ended]) -> None:
    ended = ask(lambda *_: NOT_REFUNDED, make_report(simulation_scenario("a.b", "met", "missed")), 3)
    assert ended.code == 0
    assert ended.out.splitlines()[:6] == [
        "a.b",
        "  sample 1/2 ✓ met      0/3 agree  run_1",
        "      not met: Nothing was refunded; ***.",
        "  sample 2/2 ✗ not met  3/3 agree  run_2",
        "agreement: 3/6 (0.50), 95% interval 0.19–0.81",
        "stored as met: 0/3 (0.00) met again · stored as not met: 3/3 (1.00) not met again",
    ]
    assert "most judgements differ from the stored one: 1 sample" in ended.out


def test_replies_that_are_no_judgement_are_counted_apart_and_asked_for_once_more(
    ask: Callable[[Judge, RunReport, int], Ended], server: HostileAgent
) -> None:
    ended = ask(
        lambda n, _: REFUNDED if n == 1 else "It depends.", make_report(simulation_scenario("a.b", "met")), 4
    )
    assert ended.code == 0
    assert "  sample 1/1 ✓ met      1/1 agree, 3 unusable  run_1\nagreement: 1/1 (1.00)" in ended.out
    assert "\nnot counted: 3 unusable\n" in ended.out
    assert server.requests[PATH] == 1 + 3 * 2
    assert max(len(request.body["messages"]) for request in server.received) == 4


def test_a_judge_that_only_fails_is_bad_input_and_asked_no_more(
    tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(loopback.ROUTES, PATH, loopback.ROUTES["/401"])
    report = make_report(simulation_scenario("a.b", *["met"] * 9))
    ended = check(project(tmp_path, server.url("/v1"), report), "r.json", "-n", "9")
    assert (ended.code, ended.out) == (2, "")
    assert "agentlab: the judge gave no answer: " in ended.err
    assert len(server.received) <= 4  # of 81
    with closed_port() as port:
        ended = check(project(tmp_path, f"http://127.0.0.1:{port}/v1", report), "r.json")
    assert ended.code == 2
    assert "Connection refused" in ended.err


def test_a_judge_that_never_judges_is_bad_input(ask: Callable[[Judge, RunReport, int], Ended]) -> None:
    ended = ask(lambda *_: "Well done!", make_report(simulation_scenario("a.b", "met")), 2)
    assert (ended.code, ended.out) == (2, "")
    assert "agentlab: the judge is of no use: its reply is not one JSON object with nothing around it" in ended.err


def test_a_request_whose_connection_broke_is_sent_again_as_in_a_run(
    tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = answer_as(keyword_judge)

    async def first_drops(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        await (loopback.ROUTES["/drop"] if count == 1 else answer)(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, first_drops)
    report = make_report(simulation_scenario("a.b", "met"))
    ended = check(project(tmp_path, server.url("/v1"), report), "r.json", "-n", "2")
    assert "2/2 agree  run_1" in ended.out
    assert server.requests[PATH] == 3


def test_a_busy_judge_is_waited_for(tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answer_as(keyword_judge)

    async def first_busy(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        route = loopback.ROUTES["/429-once"] if count == 1 else answer
        await route(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, first_busy)
    report = make_report(simulation_scenario("a.b", "met"))
    ended = check(project(tmp_path, server.url("/v1"), report), "r.json", "-n", "2")
    assert "2/2 agree  run_1" in ended.out
    assert server.requests[PATH] == 3


@pytest.mark.parametrize(
    ("reference", "agreed"),
    [
        ("batch_2", ["a.b", "a.c", "b.d · v"]),
        ("@last", ["a.b", "a.c", "b.d · v"]),
        ("@last:a.c", ["a.c"]),
        ("run_2.a.b.2", ["a.b"]),
    ],
)
def test_what_is_judged_again(
    server: HostileAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str, agreed: list[str]
) -> None:
    monkeypatch.setitem(loopback.ROUTES, PATH, answer_as(keyword_judge))
    rows = [simulation_scenario("a.b", "met", "missed"), simulation_scenario("a.c", "met"), scenario("p", "a.e")]
    variant = CANNED_REPORTS["variants"].scenarios[0].variant
    named = variant.model_copy(update={"variant_label": "v"}) if variant else None
    rows.append(simulation_scenario("b.d", "met", variant=named))
    folder = project(tmp_path, server.url("/v1"), make_report())
    store_batch(folder / "artifacts/agentlab.db", "batch_2", AT, *rows)
    ended = check(folder, reference, "-n", "1")
    assert ended.code == 0
    assert [line for line in ended.out.splitlines() if line.startswith(("a.", "b."))] == agreed
    if reference.startswith("run_"):
        assert re.findall("sample ./.", ended.out) == ["sample 2/2"]
        assert run_id("batch_2", rows[0], 2) in ended.out


@pytest.mark.parametrize(
    ("more", "reference", "said"),
    [
        ({"judge": None}, "r.json", "the config has no judge: add `judge: {model: …}`"),
        ({}, "r.json", "r.json holds no simulation that a judge has judged"),
        ({}, "nothing.json", "cannot read nothing.json"),
        ({}, "@prev", "there is no @prev"),
        ({}, "run_1.a.b.1", "did not end, so nobody knows what was expected of it"),
        ({}, "batch_1", "batch batch_1 did not end"),
    ],
)
def test_bad_input(tmp_path: Path, more: dict[str, Any], reference: str, said: str) -> None:
    unjudged = make_report(scenario("p", "a.e"), simulation_scenario("a.b", "no_judge", "met", brief=None))
    folder = project(tmp_path, "http://127.0.0.1:9/v1", unjudged, **more)
    (folder / "artifacts").mkdir()
    store_killed_batch(folder / "artifacts/agentlab.db", "batch_1", AT, simulation_scenario("a.b", "met"))
    ended = check(folder, reference)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_key_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    folder = project(tmp_path, "http://127.0.0.1:9/v1", make_report(simulation_scenario("a.b", "met")))
    ended = agentlab(folder, "judge-check", "r.json")
    assert ended.code == 2
    assert "JUDGE_KEY" in ended.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_shows_what_is_known(
    tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    answer = answer_as(keyword_judge)

    async def then_silent(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        if count == 3:
            os.kill(process.pid, number)
        await (answer if count < 3 else loopback.ROUTES["/silence"])(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, then_silent)
    folder = project(
        tmp_path, server.url("/v1"), make_report(simulation_scenario("a.b", "met", "met", "met")), concurrency=1
    )
    process = start_agentlab(folder, "judge-check", "r.json", environ={"JUDGE_KEY": KEY})
    ended = wait_for(process, folder)
    assert ended.code == code
    assert "agreement: 2/2 (1.00)" in ended.out
    assert re.findall("sample ./.", ended.out) == ["sample 1/3", "sample 2/3"]
    assert ended.err.splitlines()[1:] == ["interrupted: 2 of 15 judgements came; what has none is not shown"]
