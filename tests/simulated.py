"""Simulations over loopback: one server is the agent, the played user and the judge, told apart by their `model`.

What each of them says is a function of the messages that it is sent. The judge of these tests reads the transcript
as data, so that what it says follows from what was said and from nothing that a text claims.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import loopback
from loopback import HostileAgent, Request, Route
from openai_talk import says

PATH = "/v1/chat/completions"
SIMULATOR_KEY, JUDGE_KEY, AGENT_KEY = "sk-simulator-123456", "sk-judge-123456", "sk-agent-123456"
ENVIRON = {"SIMULATOR_KEY": SIMULATOR_KEY, "JUDGE_KEY": JUDGE_KEY, "OPENAI_API_KEY": AGENT_KEY}

Messages = Sequence[Mapping[str, str]]
Player = Callable[[Messages], str]
"""What a model says to these messages."""

_BLOCK = re.compile(r"<transcript-(\w+)>\n(.*)\n</transcript-\1>", re.DOTALL)
USED = {"prompt_tokens": 100, "completion_tokens": 10}


def line(message: str, *, done: bool = False) -> str:
    """Write what the played user says."""
    return json.dumps({"message": message, "done": done})


def verdict(met: bool, reason: str) -> str:
    """Write a judgement."""
    return json.dumps({"met": met, "reason": reason})


def read_transcript(messages: Messages) -> list[dict[str, Any]]:
    """Return the transcript that a judge is shown."""
    found = _BLOCK.search(messages[1]["content"])
    assert found is not None, messages[1]["content"]
    turns: list[dict[str, Any]] = json.loads(found[2])
    return turns


def honest_judge(messages: Messages) -> str:
    """Judge that the expectations are met if the agent has said `refunded ord_7`."""
    texts = [turn["text"] for turn in read_transcript(messages) if turn["speaker"] == "agent"]
    met = any("refunded ord_7" in text for text in texts)
    return verdict(met, f"{len(texts)} replies read; it {'refunded' if met else 'did not refund'}.")


def user(*lines: str) -> Player:
    """Say these lines in turn, and the last one for ever."""
    return lambda messages: lines[min(sum(m["role"] == "assistant" for m in messages), len(lines) - 1)]


def always(text: str) -> Player:
    """Say that whatever comes."""
    return lambda _messages: text


def talk(**players: Player) -> Route:
    """Return the route on which each model answers as its player does: `agent`, `simulator`, `judge`."""

    async def route(server: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        body = says(players[request.body["model"]](request.body["messages"])) | {"usage": USED}
        await loopback.fixed(json.dumps(body).encode())(server, request, count, writer)

    return route


def config_of(server: HostileAgent, **more: Any) -> dict[str, Any]:
    """Return the config of a project whose agent, simulator and judge are all at the server."""
    base = {"base_url": server.url("/v1"), "timeout_ms": 60_000}
    return {
        "agents": [{"name": "gpt", "provider": "openai", "model": "agent", **base}],
        "simulator": {
            "model": "simulator",
            "api_key_env": "SIMULATOR_KEY",
            "price": {"input_per_million": 100, "output_per_million": 1000},
            **base,
        },
        "judge": {"model": "judge", "api_key_env": "JUDGE_KEY", **base},
        "sampling": {"error_retries": 0},
    } | more


def simulation(scenario_id: str, **more: Any) -> dict[str, Any]:
    """Return a simulation as YAML has it."""
    return {
        "type": "simulation",
        "id": scenario_id,
        "name": scenario_id,
        "suite": scenario_id.split(".", maxsplit=1)[0],
        "instructions": "You want your money back for ord_7.",
        "agent_expectations": "The agent refunds ord_7.",
        "max_turns": 4,
    } | more
