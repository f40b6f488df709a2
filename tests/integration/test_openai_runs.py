"""The openai agent as a user runs it: the key that is missing, refused, or said back by the server."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loopback
from command import Ended, agentlab, conversation, write_project
from doc_pages import read_page
from loopback import HostileAgent, Request, hostile_agent
from openai_talk import KEY, asks, calls, says

ANY_TEXT = "; any text will do for a server that asks for no key"
SAY = f"OPENAI_API_KEY is required: `gpt` takes its key from it{ANY_TEXT}"
PATH = "/v1/chat/completions"


@pytest.fixture
def server() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


def project(folder: Path, server: HostileAgent, *scenarios: dict[str, Any], **agent: Any) -> Path:
    gpt = {"name": "gpt", "provider": "openai", "model": "m", "base_url": server.url("/v1")} | agent
    mock = {"name": "mock", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
    return write_project(folder, {"agents": [gpt, mock]}, scenarios)


def refund(**more: Any) -> dict[str, Any]:
    config = {"tool": "orders.refund", "match": {"order_id": "ord_1024"}, "succeeded": True}
    return {
        "id": "support.refund",
        "name": "Refund",
        "suite": "support",
        "agent": "gpt",
        "task": {"instructions": "Refund ord_1024."},
        "tools": {"allowed": ["orders.refund"]},
        "evaluators": [{"type": "tool_call_assertion", "mode": "hard_gate", "config": config}],
    } | more


@pytest.mark.parametrize("command", ["validate", "run"])
def test_a_missing_key_is_said_once_with_its_place(tmp_path: Path, server: HostileAgent, command: str) -> None:
    ended = agentlab(project(tmp_path, server, refund()), command)
    assert ended.code == 2
    assert ended.err.strip() == f"agentlab.config.yaml:1:13: agents[0].api_key_env: {SAY}"
    assert server.received == []


@pytest.mark.parametrize("command", ["validate", "run"])
def test_the_key_is_not_required_where_the_agent_is_not_used(
    tmp_path: Path, server: HostileAgent, command: str
) -> None:
    ended = agentlab(project(tmp_path, server, conversation("a.one", agent="mock")), command)
    assert (ended.code, ended.err.count("OPENAI_API_KEY")) == (0, 0), ended.err


def test_an_extra_body_that_would_replace_the_talk_is_a_problem_of_validate(
    tmp_path: Path, server: HostileAgent
) -> None:
    folder = project(tmp_path, server, refund(), extra_body={"messages": []})
    ended = agentlab(folder, "validate", environ={"OPENAI_API_KEY": KEY})
    assert ended.code == 2
    assert ended.err.strip() == (
        "agentlab: agent gpt: `extra_body` cannot hold `messages`: the scenario says what stands there"
    )


def test_samples_at_once_do_not_see_each_other(
    tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def model(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        told = request.body["messages"][-1]
        reply = (
            calls(asks("orders_refund", '{"order_id": "ord_1024"}')) if told["role"] == "user" else says("Done.")
        )
        await loopback.fixed(json.dumps(reply).encode())(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, model)
    folder = project(tmp_path, server, refund(sampling={"samples": 12, "pass_rate": 1}))
    ended = agentlab(folder, "run", environ={"OPENAI_API_KEY": KEY})
    assert ended.code == 0, ended.out + ended.err
    [row] = ended.results["scenarios"]
    assert [(len(s["tool_calls"]), s["final_output"]) for s in row["samples"]] == [(1, "Done.")] * 12
    assert sorted(len(body["messages"]) for body in server.bodies[PATH]) == [1] * 12 + [3] * 12


def test_a_key_that_the_server_says_back_is_masked_everywhere(
    tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = {"error": {"message": f"Incorrect API key provided: {KEY}.", "code": "invalid_api_key"}}
    route = loopback.fixed(json.dumps(error).encode(), status="401 Unauthorized")
    monkeypatch.setitem(loopback.ROUTES, PATH, route)
    ended = agentlab(project(tmp_path, server, refund()), "run", environ={"OPENAI_API_KEY": KEY})
    [row] = ended.results["scenarios"]
    [sample] = row["samples"]
    assert sample["error"]["message"].endswith("answered HTTP 401: check the key in `OPENAI_API_KEY`")
    assert "Incorrect API key provided: ***." in sample["error"]["body"]
    assert KEY.encode() not in everything(ended)


def test_the_page_works_as_written(tmp_path: Path, server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    async def model(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        last = request.body["messages"][-1]
        reply = says("You are Ada, and I am done.") | {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}
        if last["role"] == "user" and "tools" in request.body:
            reply |= calls(asks("orders_refund", '{"order_id": "ord_1024"}'))
        await loopback.fixed(json.dumps(reply).encode())(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, model)
    page = read_page("how-to/openai-agents.md")
    config = page.write(tmp_path) / "agentlab.config.yaml"
    at_openai, here = "https://api.openai.com/v1", server.url("/v1")
    config.write_text(config.read_text(encoding="utf-8").replace(at_openai, here), encoding="utf-8")
    missing = agentlab(tmp_path, "validate").err.strip()
    assert missing.removesuffix(ANY_TEXT) in page.text, "whose server is OpenAI's"
    [(code, arguments)] = page.commands
    ended = agentlab(tmp_path, *arguments, environ={"OPENAI_API_KEY": KEY})
    assert ended.code == code, ended.out + ended.err
    first = server.bodies[PATH][0]
    assert (first["temperature"], first["seed"], first["max_completion_tokens"]) == (0, 1, 500)
    assert first["messages"][0]["content"] == "You work at the desk of a shop. Be brief."


def everything(ended: Ended) -> bytes:
    """All that the command wrote and said."""
    written = [path.read_bytes() for path in ended.folder.rglob("*") if path.is_file()]
    return b"".join([*written, ended.out.encode(), ended.err.encode()])
