"""The openai agent at work for the command, against an OpenAI-compatible server that others wrote."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.tools.interface import ToolContext, ToolWorld
from agentlab_ci.tools.opening import make_toolbox_opener
from aimock import aimock, journal
from command import Ended, agentlab, conversation, write_project

KEY = "sk-canary-123456"

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with aimock("openai_tasks.json", key=KEY) as url:
        yield url


@pytest.fixture(scope="module")
def ended(server: str, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Run all scenarios at once."""
    gpt = {"name": "gpt", "provider": "openai", "model": "small", "base_url": f"{server}/v1"}
    agents: list[Mapping[str, Any]] = [
        gpt | {"price": {"input_per_million": 1, "output_per_million": 10}, "system_prompt": "Be brief."},
        gpt | {"name": "router", "model": "shop/large", "base_url": f"{server}/api/v1"},
        gpt | {"name": "locked-out", "api_key_env": "OLD_KEY"},
    ]
    check = {"type": "response_contains", "mode": "hard_gate", "config": {"keywords": ["You are Ada"]}}
    steps = [{"role": "user", "message": "my name is Ada"}, {"role": "user", "message": "who am I?"}]
    scenarios = [
        task("loop", "A customer was charged twice.", "crm.search_customer", "orders.list", max_usd=0.002),
        task("parallel", "Refund ord_1024 and ord_9999 at once.", "orders.list"),
        task("malformed", "Refund ord_1024 carelessly."),
        task("unknown", "Refund ord_1024 by guessing."),
        task("busy", "Refund ord_1024 while others do."),
        task("broke", "Refund ord_1024 on credit."),
        task("dear", "Refund ord_1024 at a price.", agent="router", max_usd=0.7),
        task("denied", "Refund ord_1024.", agent="locked-out"),
        conversation("support.talk", agent="gpt", steps=[steps[0], steps[1] | {"evaluators": [check]}]),
    ]
    project = write_project(tmp_path_factory.mktemp("openai"), {"agents": agents}, scenarios)
    return agentlab(project, "run", environ={"OPENAI_API_KEY": KEY, "OLD_KEY": "sk-expired-123"})


def task(name: str, instructions: str, *tools: str, agent: str = "gpt", max_usd: float = 1) -> dict[str, Any]:
    """A task that must refund ord_1024 and cost no more than this."""
    refunded = {"tool": "orders.refund", "match": {"order_id": "ord_1024"}, "succeeded": True}
    return {
        "id": f"support.{name}",
        "name": name,
        "suite": "support",
        "agent": agent,
        "task": {"instructions": instructions},
        "context": {"variables": {"email": "alice@example.com"}},
        "tools": {"allowed": ["orders.refund", *tools]},
        "evaluators": [
            {"id": "refunded", "type": "tool_call_assertion", "mode": "hard_gate", "config": refunded},
            {"id": "cost", "type": "cost_max", "mode": "hard_gate", "config": {"max_usd": max_usd}},
        ],
    }


def sample(ended: Ended, name: str) -> Any:
    [found] = [row["samples"] for row in ended.results["scenarios"] if row["scenario_id"] == f"support.{name}"]
    return found[0]


def tool_calls(ended: Ended, name: str) -> list[tuple[str, Any, str | None]]:
    return [(call["name"], call["input"], call["error"]) for call in sample(ended, name)["tool_calls"]]


def asked(server: str, words: str) -> list[Any]:
    """The bodies of the requests of the sample whose instructions hold these words, in order."""
    bodies = [entry["body"] for entry in journal(server, key=KEY)]
    return [body for body in bodies if any(words in str(message["content"]) for message in body["messages"])]


def test_every_scenario_ends_as_it_should(ended: Ended) -> None:
    assert ended.ends() == {
        "support.loop": [("passed", "completed")],
        "support.parallel": [("passed", "completed")],
        "support.malformed": [("passed", "completed")],
        "support.unknown": [("passed", "completed")],
        "support.busy": [("passed", "completed")],
        "support.broke": [("error", "http_error")],
        "support.dear": [("failed", "completed")],
        "support.denied": [("error", "http_error")],
        "support.talk": [("passed", "completed")],
    }, ended.out + ended.err


def test_tools_with_dots_in_their_names_are_called_in_a_loop(ended: Ended, server: str) -> None:
    assert tool_calls(ended, "loop") == [
        ("crm.search_customer", {"email": "alice@example.com"}, None),
        ("orders.list", {"customer_id": "cus_100"}, None),
        ("orders.refund", {"order_id": "ord_1024"}, None),
    ]
    assert sample(ended, "loop")["final_output"] == "I have refunded ord_1024."
    assert [turn["text"] for turn in sample(ended, "loop")["turns"]][:2] == [
        "A customer was charged twice.",
        "Let me look.",
    ]
    first, *_, last = asked(server, "charged twice")
    assert first["messages"][0] == {"role": "system", "content": "Be brief."}
    told = first["messages"][1]["content"].partition("\n\nContext:\n")
    assert (told[0], json.loads(told[2])) == ("A customer was charged twice.", {"email": "alice@example.com"})
    assert [m["role"] for m in last["messages"]] == ["system", "user", *["assistant", "tool"] * 3]
    assert last["messages"][2]["content"] == "Let me look."
    assert last["messages"][2]["tool_calls"][0]["id"] == last["messages"][3]["tool_call_id"] == "call_find"


def test_the_cost_is_counted_by_the_price(ended: Ended) -> None:
    usage = sample(ended, "loop")["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (1000, 50)
    assert usage["cost_usd"] == pytest.approx(0.0015)
    assert cost_evaluation(ended, "loop")["passed"]


def test_the_cost_is_what_the_server_says_where_no_price_is_configured(ended: Ended) -> None:
    assert sample(ended, "dear")["usage"]["cost_usd"] == pytest.approx(0.75)
    assert not cost_evaluation(ended, "dear")["passed"]


def cost_evaluation(ended: Ended, name: str) -> Any:
    return next(e for e in sample(ended, name)["evaluations"] if e["type"] == "cost_max")


def test_calls_of_one_turn_are_answered_in_order(ended: Ended, server: str) -> None:
    assert [(name, error is None) for name, _, error in tool_calls(ended, "parallel")] == [
        ("orders.list", True),
        ("orders.refund", True),
        ("orders.refund", False),
    ]
    told = asked(server, "at once")[1]["messages"][-3:]
    assert [(m["role"], m["tool_call_id"]) for m in told] == [
        ("tool", "call_first"),
        ("tool", "call_second"),
        ("tool", "call_third"),
    ]
    assert json.loads(told[1]["content"])["refunded"] is True
    assert "ord_9999" in json.loads(told[2]["content"])["error"]


def test_arguments_that_cannot_be_read_are_recovered_from(ended: Ended, server: str) -> None:
    broken, mended = tool_calls(ended, "malformed")
    assert broken[:2] == ("orders.refund", {})
    assert (broken[2] or "").startswith("not called: the arguments are not JSON: Unterminated string")
    assert mended == ("orders.refund", {"order_id": "ord_1024"}, None)
    [sent] = asked(server, "carelessly")[1]["messages"][-2]["tool_calls"]
    assert json.loads(sent["function"]["arguments"]) == {"invalid": '{"order_id": "ord_10'}


def test_a_tool_that_is_not_there_is_recovered_from(ended: Ended, server: str) -> None:
    guess, known = tool_calls(ended, "unknown")
    refusal = asyncio.run(refuse("orders.cancel", allowed="orders.refund"))
    assert guess == ("orders.cancel", {"order_id": "ord_1024"}, refusal)
    assert known[2] is None
    *_, called, told = asked(server, "by guessing")[1]["messages"]
    assert called["tool_calls"][0]["function"]["name"] == "orders_cancel"
    assert json.loads(told["content"]) == {"error": refusal}


async def refuse(tool: str, *, allowed: str) -> str | None:
    """Return what the tools say to a call of one that is not there."""
    world = ToolWorld(environ={}, project=Path("nowhere"))
    async with make_toolbox_opener((), world)((allowed,), ToolContext(scenario_id="s.one", sample=1)) as tools:
        return (await tools.call(tool, {})).error


def test_a_rate_limit_is_waited_out_in_mid_task(ended: Ended) -> None:
    assert [wait["status"] for wait in sample(ended, "busy")["waits"]] == [429]


def test_a_quota_that_is_used_up_ends_the_sample_at_once(ended: Ended, server: str) -> None:
    broke = sample(ended, "broke")
    assert broke["error"]["message"].endswith(
        "answered HTTP 429, and waiting does not help: You exceeded your current quota."
    )
    assert broke["waits"] == []
    assert len(asked(server, "on credit")) == 1


def test_a_key_that_is_refused_is_named(ended: Ended) -> None:
    denied = sample(ended, "denied")["error"]
    assert denied["status"] == 401
    assert denied["message"].endswith("answered HTTP 401: check the key in `OLD_KEY`")


def test_what_was_not_configured_is_not_sent(ended: Ended, server: str) -> None:
    assert ended.code == 1
    body = asked(server, "who am I")[0]
    assert {key for key in body if not key.startswith("_")} == {
        "model",
        "messages",
    }  # `_` is the server's own note
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("system", "Be brief."),
        ("user", "my name is Ada"),
        ("assistant", "Hello Ada."),
        ("user", "who am I?"),
    ]


def test_the_keys_are_nowhere(ended: Ended) -> None:
    written = [path.read_bytes() for path in ended.folder.rglob("*") if path.is_file()]
    assert written
    everything = b"".join([*written, ended.out.encode(), ended.err.encode()])
    assert KEY.encode() not in everything
    assert b"sk-expired-123" not in everything
