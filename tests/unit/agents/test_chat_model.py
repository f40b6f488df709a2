"""A model of a simulation against a loopback server that answers as it is told."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import loopback
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentWorld, ModelReply, NoMessageError
from agentlab_ci.agents.model import open_model
from agentlab_ci.agents.opening import check_models, make_models_opener
from agentlab_ci.core.config import ModelEndpoint
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Usage
from agentlab_ci.errors import BadInputError
from http_talk import LONG_MS, world
from loopback import HostileAgent, Request, closed_port, hostile_agent
from openai_talk import KEY, asks, calls, keyed_world, says

PATH = "/v1/chat/completions"
MESSAGES = ({"role": "user", "content": "Was it met?"},)
SCHEMA = {"type": "object", "properties": {"met": {"type": "boolean"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}


@pytest.fixture
def server() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


def endpoint(base_url: str = "http://a/v1", **more: Any) -> ModelEndpoint:
    return ModelEndpoint.model_validate({"model": "m", "base_url": base_url, "timeout_ms": LONG_MS} | more)


def script(monkeypatch: pytest.MonkeyPatch, *replies: object) -> None:
    """Let the server answer its requests with these, in order: JSON with status 200, or a status with an error."""

    async def scripted(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        reply = replies[count - 1]
        if isinstance(reply, int):
            answer = loopback.fixed(b'{"error": {"message": "no response_format"}}', status=f"{reply} No")
        else:
            answer = loopback.fixed(json.dumps(reply).encode())
        await answer(agent, request, count, writer)

    monkeypatch.setitem(loopback.ROUTES, PATH, scripted)


def complete(
    server: HostileAgent,
    *,
    times: int = 1,
    schema: Mapping[str, Any] | None = SCHEMA,
    role: str = "judge",
    using: AgentWorld | None = None,
    **config: Any,
) -> list[ModelReply]:
    """Ask for that many replies over one connection."""

    async def run() -> list[ModelReply]:
        model = open_model(endpoint(server.url("/v1"), **config), using or keyed_world(), role=role)
        try:
            return [await model.complete(MESSAGES, schema=schema) for _ in range(times)]
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_a_model_is_sent_what_its_endpoint_says(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, says("Yes.") | {"usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.5}})
    (reply,) = complete(server, temperature=0, seed=1, extra_body={"top_p": 0.5, "model": "other"})
    assert reply == ModelReply(text="Yes.", usage=Usage(input_tokens=10, output_tokens=5, cost_usd=0.5))
    assert server.bodies[PATH] == [
        {
            "model": "other",
            "messages": list(MESSAGES),
            "response_format": FORMAT,
            "temperature": 0,
            "seed": 1,
            "top_p": 0.5,
        }
    ]
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_price_counts_instead_of_what_the_server_says(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, says("Yes.") | {"usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.5}})
    (reply,) = complete(server, price={"input_per_million": 1, "output_per_million": 2})
    assert reply.usage.cost_usd == 20 / 1_000_000


@pytest.mark.parametrize("status", [400, 404, 415, 422])
def test_a_server_that_refuses_a_schema_is_asked_without_it_from_then_on(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    script(monkeypatch, status, says("Yes."), says("No."))
    assert [reply.text for reply in complete(server, times=2)] == ["Yes.", "No."]
    assert [body.get("response_format") for body in server.bodies[PATH]] == [FORMAT, None, None]


def test_a_refusal_that_no_schema_was_the_reason_for_is_told_and_not_remembered(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, 404, 404, says("Yes."))

    async def run() -> ModelReply:
        model = open_model(endpoint(server.url("/v1")), keyed_world(), role="judge")
        try:
            with pytest.raises(AgentFailedError, match=r"HTTP 404: check `judge\.model`, and `judge\.base_url`"):
                await model.complete(MESSAGES, schema=SCHEMA)
            return await model.complete(MESSAGES, schema=SCHEMA)
        finally:
            await model.aclose()

    assert asyncio.run(run()).text == "Yes."
    assert [body.get("response_format") for body in server.bodies[PATH]] == [FORMAT, None, FORMAT]


@pytest.mark.parametrize(
    ("schema", "config", "sent"),
    [
        (None, {}, None),
        # The user's own wins, and a server that refuses it is not asked without it.
        (SCHEMA, {"extra_body": {"response_format": {"type": "json_object"}}}, {"type": "json_object"}),
    ],
)
def test_without_a_schema_of_ours_nothing_is_asked_twice(
    server: HostileAgent,
    monkeypatch: pytest.MonkeyPatch,
    schema: Mapping[str, Any] | None,
    config: Mapping[str, Any],
    sent: object,
) -> None:
    script(monkeypatch, 400)
    with pytest.raises(AgentFailedError, match="HTTP 400"):
        complete(server, schema=schema, **config)
    assert [body.get("response_format") for body in server.bodies[PATH]] == [sent]


@pytest.mark.parametrize("status", [401, 500])
def test_other_refusals_are_none_of_a_schema(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    script(monkeypatch, status)
    with pytest.raises(AgentFailedError, match=f"HTTP {status}"):
        complete(server)
    assert len(server.bodies[PATH]) == 1


def test_a_busy_server_may_be_asked_again(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, 429)
    with pytest.raises(AgentBusyError):
        complete(server)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            says('{"met": true, "rea', finish="length"),
            r"^its reply was cut short at the model's token limit .*; check `judge\.model` and",
        ),
        (says("", finish="content_filter"), "^its reply was cut short by the provider's content filter"),
        (calls(asks("verdict", "{}")), "^it calls `verdict`, but has no tools"),
        (says(None, refusal="I won't play that person."), r"^it refused \(`refusal`\)$"),
        (says('{"reason": "because", "met": true}', refusal="no"), "^it refused"),
        (says([{"type": "refusal", "refusal": "No."}]), "^it refused"),
        ({"choices": []}, "has no `choices.0.message`.*check `judge.base_url`"),
        ({"error": {"message": "overloaded"}}, "the reply is an error: overloaded"),
    ],
)
def test_what_is_no_whole_message_is_a_failure(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, reply: object, message: str
) -> None:
    script(monkeypatch, reply)
    with pytest.raises(AgentFailedError, match=message):
        complete(server)


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        (says('{"met": true, "rea', finish="length"), False),
        (calls(asks("verdict", "{}")), False),
        (says(None, refusal="no"), True),
    ],
)
def test_what_it_used_is_told_all_the_same(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any], *, refused: bool
) -> None:
    script(monkeypatch, reply | {"usage": {"prompt_tokens": 7, "completion_tokens": 2, "cost": 0.25}})
    with pytest.raises(NoMessageError) as failure:
        complete(server)
    assert failure.value.usage == Usage(input_tokens=7, output_tokens=2, cost_usd=0.25)
    assert failure.value.refused == refused


def test_a_reply_has_the_cap_of_an_agents(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, says("x" * 5000))
    with pytest.raises(AgentFailedError, match="longer than 1000 bytes") as failure:
        complete(server, using=world(environ={"OPENAI_API_KEY": KEY}, cap=1000))
    assert failure.value.reason is TerminationReason.INVALID_RESPONSE_FORMAT


def test_a_model_that_does_not_answer_is_called_by_its_section() -> None:
    with closed_port() as port:
        model = endpoint(f"http://127.0.0.1:{port}/v1")

        async def run() -> None:
            opened = open_model(model, keyed_world(), role="simulator")
            try:
                await opened.complete(MESSAGES)
            finally:
                await opened.aclose()

        with pytest.raises(
            AgentFailedError, match=r"is the simulator running, and is `simulator\.base_url` right"
        ) as failure:
            asyncio.run(run())
    assert failure.value.redrawable


def test_a_reply_has_the_time_limit_of_its_endpoint(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loopback.ROUTES, PATH, loopback.ROUTES["/silence"])

    async def run() -> None:
        model = open_model(endpoint(server.url("/v1"), timeout_ms=50), keyed_world(), role="judge")
        try:
            await model.complete(MESSAGES)
        finally:
            await model.aclose()

    with pytest.raises(AgentFailedError, match="within 50 ms") as failure:
        asyncio.run(run())
    assert failure.value.reason is TerminationReason.TIMEOUT_EXCEEDED


@pytest.mark.parametrize(
    ("config", "environ", "message"),
    [
        ({}, {}, r"OPENAI_API_KEY is required: `judge\.api_key_env` names it"),
        ({"api_key_env": "JUDGE_KEY"}, {"JUDGE_KEY": " \n"}, r"JUDGE_KEY is required: `judge\.api_key_env`"),
        ({}, {"OPENAI_API_KEY": "a\nb"}, "judge: OPENAI_API_KEY holds a line break"),
        ({"base_url": "localhost:1"}, {"OPENAI_API_KEY": KEY}, "judge: `base_url` is no http:// or https://"),
        ({"extra_body": {"messages": []}}, {"OPENAI_API_KEY": KEY}, "judge: `extra_body` cannot hold `messages`"),
        ({"extra_body": {"stream": True}}, {"OPENAI_API_KEY": KEY}, "judge: `extra_body` cannot hold `stream`"),
    ],
)
def test_what_no_request_can_carry_is_named_with_its_section(
    config: Mapping[str, Any], environ: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        open_model(endpoint(**config), world(environ=environ), role="judge")


def reasons(simulator: ModelEndpoint | None, judge: ModelEndpoint | None, environ: Mapping[str, str]) -> list[str]:
    opener = make_models_opener(simulator, judge, environ=environ, project=Path(), max_reply_bytes=1000, mask=str)
    return check_models(opener)


def test_all_that_stands_against_the_models_is_told_at_once() -> None:
    assert reasons(endpoint(), endpoint(), {"OPENAI_API_KEY": KEY}) == []
    simulator, judge = reasons(None, endpoint(api_key_env="JUDGE_KEY"), {})
    assert simulator.startswith("simulations need a `simulator` in the config")
    assert judge == "JUDGE_KEY is required: `judge.api_key_env` names it"


def test_models_are_opened_anew_for_each_slot() -> None:
    environ = {"OPENAI_API_KEY": KEY}
    opener = make_models_opener(
        endpoint(), endpoint(), environ=environ, project=Path(), max_reply_bytes=1000, mask=str
    )
    one, other = opener(), opener()
    assert len({id(model) for model in (one.simulator, one.judge, other.simulator, other.judge)}) == 4


def test_no_request_bears_the_cookies_of_another(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    baked = loopback.fixed(json.dumps(says("Yes.")).encode(), headers=("Set-Cookie: who=ada",))
    monkeypatch.setitem(loopback.ROUTES, PATH, baked)
    complete(server, times=2)
    assert [request.headers.get("cookie") for request in server.received] == [None, None]
