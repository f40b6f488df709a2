"""The openai agent against a loopback server that answers as it is told."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import loopback
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentTurn
from agentlab_ci.agents.openai import open_openai_agent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallOutcome, CallRequest
from agentlab_ci.core.trace import Usage
from agentlab_ci.errors import BadInputError
from http_talk import world
from loopback import HostileAgent, Request, closed_port, hostile_agent
from openai_talk import KEY, asks, brief, calls, contents, keyed_world, model, says, start

PATH = "/v1/chat/completions"


@pytest.fixture
def server() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


def script(monkeypatch: pytest.MonkeyPatch, *replies: object, route: loopback.Route | None = None) -> None:
    """Let the server answer its requests with these, in order."""

    async def scripted(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        reply = replies[count - 1]
        answer = loopback.fixed(json.dumps(reply).encode()) if isinstance(reply, dict) else reply
        await answer(agent, request, count, writer)  # type: ignore[operator]  # a route

    monkeypatch.setitem(loopback.ROUTES, PATH, route or scripted)


BUSY = loopback.fixed(b'{"error": {"message": "slow down"}}', status="429 Too Many", headers=("Retry-After: 7",))


def talk(server: HostileAgent, *messages: str, prompt: str | None = None, **config: Any) -> list[Any]:
    """Say the messages in one conversation."""

    async def run() -> list[Any]:
        connection = open_openai_agent(model(server.url("/v1"), **config), keyed_world())
        try:
            async with connection.session(start(prompt)) as session:
                return [await session.send(message) for message in messages]
        finally:
            await connection.aclose()

    return asyncio.run(run())


def work(
    server: HostileAgent, *told: Sequence[CallOutcome], tools: Sequence[str] = ("orders.refund",), **config: Any
) -> list[AgentTurn]:
    """Take one turn for each of these outcomes in one task."""

    async def run() -> list[AgentTurn]:
        connection = open_openai_agent(model(server.url("/v1"), **config), keyed_world())
        try:
            async with connection.task(start(), brief(*tools)) as session:
                return [await session.advance(outcomes) for outcomes in told]
        finally:
            await connection.aclose()

    return asyncio.run(run())


def test_a_conversation_is_told_whole_with_each_message(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, says("Hello Ada."), says(None, refusal="I will not say."))
    hello, refusal = talk(server, "my name is Ada", "who am I?", prompt="Be brief.")
    assert (hello.text, refusal.text, refusal.note) == (
        "Hello Ada.",
        "I will not say.",
        "the model refused (`refusal`)",
    )
    assert [contents(body["messages"]) for body in server.bodies[PATH]] == [
        [("system", "Be brief."), ("user", "my name is Ada")],
        [
            ("system", "Be brief."),
            ("user", "my name is Ada"),
            ("assistant", "Hello Ada."),
            ("user", "who am I?"),
        ],
    ]
    assert all("tools" not in body for body in server.bodies[PATH])
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.received[0].headers["accept-encoding"] == "identity"


def test_a_conversation_has_no_tools_to_call(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, calls(asks("orders_refund", "{}")))
    with pytest.raises(
        AgentFailedError, match="calls `orders_refund`, but a conversation has no tools"
    ) as failure:
        talk(server, "refund it")
    assert failure.value.reason is TerminationReason.INVALID_RESPONSE_FORMAT


def test_a_task_goes_from_calls_to_the_answer(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    first = asks("orders_refund", '{"order_id": "ord_1"}', id="call_1")
    second = asks("kb_search", "{oops", id="call_2")
    usage = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
    script(monkeypatch, calls(first, second, content="One moment.") | usage, says("Refunded."))
    turns = work(
        server,
        (),
        (CallOutcome(name="orders.refund", output={"refunded": True}), CallOutcome(name="kb.search", error="no")),
        tools=("orders.refund", "kb.search"),
        price={"input_per_million": 1, "output_per_million": 2},
    )
    asked, answered = turns
    assert (asked.final, asked.message) == (None, "One moment.")
    assert asked.calls[0] == CallRequest(name="orders.refund", input={"order_id": "ord_1"})
    assert (asked.calls[1].name, asked.calls[1].input) == ("kb.search", {})
    assert asked.calls[1].invalid
    assert asked.usage == Usage(input_tokens=10, output_tokens=5, cost_usd=20 / 1_000_000)
    assert (answered.calls, answered.final, answered.message) == ((), "Refunded.", None)
    assert answered.usage == Usage()

    opening, following = server.bodies[PATH]
    assert [tool["function"]["name"] for tool in opening["tools"]] == ["orders_refund", "kb_search"]
    assert opening["tools"] == following["tools"]
    assert following["messages"][0] == opening["messages"][0] == {"role": "user", "content": "Refund it."}
    assert following["messages"][1]["tool_calls"][0] == first
    assert following["messages"][2:] == [
        {"role": "tool", "tool_call_id": "call_1", "content": '{"refunded": true}'},
        {"role": "tool", "tool_call_id": "call_2", "content": '{"error": "no"}'},
    ]


def test_a_forbidden_tool_is_called_by_its_own_name_and_never_told_of(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, calls(asks("orders_refund", "{}")))

    async def run() -> AgentTurn:
        connection = open_openai_agent(model(server.url("/v1")), keyed_world())
        async with connection.task(start(), brief("orders.list", forbidden=("orders.refund",))) as session:
            turn = await session.advance(())
        await connection.aclose()
        return turn

    assert [call.name for call in asyncio.run(run()).calls] == ["orders.refund"]
    assert "refund" not in json.dumps(server.bodies[PATH][0]["tools"])


def test_every_turn_stays_in_the_talk(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    again = calls(asks("orders_refund", "{}"))
    script(monkeypatch, again, again, says("Done."))
    outcome = (CallOutcome(name="orders.refund", output=1),)
    work(server, (), outcome, outcome)
    roles = [message["role"] for message in server.bodies[PATH][2]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]


def test_calls_without_words_have_no_message(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, calls(asks("orders_refund", "{}"), content=""))
    assert work(server, ())[0].message is None


def test_an_empty_answer_ends_a_task(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, says(None))
    assert work(server, ())[0].final == ""


def test_a_task_without_tools_offers_none(server: HostileAgent) -> None:
    assert work(server, (), tools=())[0].final
    assert "tools" not in server.bodies[PATH][0]


def test_a_busy_server_leaves_the_talk_as_it_was(server: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, calls(asks("orders_refund", "{}")), BUSY, says("Done."))
    outcome = CallOutcome(name="orders.refund", output=1)

    async def run() -> None:
        connection = open_openai_agent(model(server.url("/v1")), keyed_world())
        async with connection.task(start(), brief("orders.refund")) as session:
            await session.advance(())
            with pytest.raises(AgentBusyError) as busy:
                await session.advance((outcome,))
            assert (busy.value.status, busy.value.retry_after) == (429, 7.0)
            assert (await session.advance((outcome,))).final == "Done."
        await connection.aclose()

    asyncio.run(run())
    _, refused, repeated = server.bodies[PATH]
    assert refused == repeated


def test_a_busy_server_leaves_the_conversation_as_it_was(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, BUSY, says("Hi."), says("Bye."))

    async def run() -> None:
        connection = open_openai_agent(model(server.url("/v1")), keyed_world())
        async with connection.session(start()) as session:
            with pytest.raises(AgentBusyError):
                await session.send("one")
            assert (await session.send("one")).text == "Hi."
            assert (await session.send("two")).text == "Bye."
        await connection.aclose()

    asyncio.run(run())
    assert contents(server.bodies[PATH][2]["messages"]) == [("user", "one"), ("assistant", "Hi."), ("user", "two")]


def test_no_sample_sees_anothers_messages_or_cookies(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, route=loopback.fixed(json.dumps(says("Hi")).encode(), headers=("Set-Cookie: s=1",)))

    async def run() -> None:
        connection = open_openai_agent(model(server.url("/v1")), keyed_world())
        for _ in range(2):
            async with connection.session(start()) as session:
                await session.send("hello")
            async with connection.task(start(), brief()) as task:
                await task.advance(())
        await connection.aclose()

    asyncio.run(run())
    assert [len(body["messages"]) for body in server.bodies[PATH]] == [1, 1, 1, 1]
    assert all("cookie" not in request.headers for request in server.received)


@pytest.mark.parametrize("path", ["/silence", "/trickle"])
def test_the_deadline_is_total(server: HostileAgent, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    script(monkeypatch, route=loopback.ROUTES[path])
    with pytest.raises(AgentFailedError) as failure:
        talk(server, "hello", timeout_ms=300)
    assert failure.value.reason is TerminationReason.TIMEOUT_EXCEEDED
    assert failure.value.message == f"POST {server.url(PATH)}: no complete answer within 300 ms (`timeout_ms`)"


@pytest.mark.parametrize(
    ("path", "means", "hint"),
    [
        ("/drop", ("http_connection_failed", True), "the connection broke before the answer was complete"),
        ("/502", ("http_error", True), "answered HTTP 502"),
        ("/504", ("http_error", True), "answered HTTP 504"),
        ("/500", ("http_error", False), "answered HTTP 500"),
        ("/302", ("http_error", False), "redirects are not followed; set `base_url` to where it points (/ok)"),
        ("/302-nowhere", ("http_error", False), "redirects are not followed, check `base_url`"),
        ("/garbage", ("invalid_response_format", False), "what came back is not HTTP"),
        ("/big", ("invalid_response_format", False), "longer than 4194304 bytes (`max_reply_bytes`)"),
        ("/ok", ("invalid_response_format", False), "the reply has no `choices.0.message`"),
    ],
)
def test_what_is_no_answer_means_what_it_means_for_every_agent(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch, path: str, means: tuple[str, bool], hint: str
) -> None:
    script(monkeypatch, route=loopback.ROUTES[path])
    with pytest.raises(AgentFailedError) as failure:
        talk(server, "hello")
    assert (failure.value.reason, failure.value.redrawable) == means
    assert hint in failure.value.message
    assert KEY not in f"{failure.value.message} {failure.value.body}"


def test_nobody_listening_names_the_key_of_the_address() -> None:
    async def run() -> None:
        with closed_port() as port:
            connection = open_openai_agent(model(f"http://127.0.0.1:{port}/v1"), keyed_world())
            async with connection.session(start()) as session:
                await session.send("hello")

    with pytest.raises(AgentFailedError, match="and is `base_url` right") as failure:
        asyncio.run(run())
    assert (failure.value.redrawable, failure.value.unreached) == (True, True)


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_the_key_is_required(value: str | None) -> None:
    environ = {} if value is None else {"GPT_KEY": value}
    with pytest.raises(BadInputError) as problem:
        open_openai_agent(model(api_key_env="GPT_KEY"), world(environ=environ))
    assert str(problem.value) == "GPT_KEY is required: `gpt` takes its key from it"


def test_a_line_break_behind_the_key_is_left_out(server: HostileAgent) -> None:
    async def run() -> None:
        connection = open_openai_agent(model(server.url("/v1")), world(environ={"OPENAI_API_KEY": f"{KEY}\n"}))
        async with connection.session(start()) as session:
            await session.send("hello")
        await connection.aclose()

    asyncio.run(run())
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_key_that_no_header_can_carry_is_refused_without_a_word_of_it() -> None:
    with pytest.raises(BadInputError) as problem:
        open_openai_agent(model(), world(environ={"OPENAI_API_KEY": f"{KEY}\r\nX-Admin: yes"}))
    assert str(problem.value) == (
        "agent gpt: OPENAI_API_KEY holds a line break or control character, which no header can carry"
    )


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"base_url": "ftp://a/v1"}, "`base_url` is no http:// or https:// address with a host"),
        (
            {"base_url": "http://me:secret@a/v1"},
            "`base_url` holds a user or password, which would be sent instead",
        ),
        (
            {"extra_body": {"messages": []}},
            "`extra_body` cannot hold `messages`: the scenario says what stands there",
        ),
        ({"extra_body": {"tools": []}}, "`extra_body` cannot hold `tools`: the scenario says what stands there"),
        ({"extra_body": {"stream": True}}, "`extra_body` cannot hold `stream`: replies are read in one piece"),
    ],
)
def test_what_no_request_can_carry_is_refused_when_opened(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadInputError) as problem:
        open_openai_agent(model(**given), keyed_world())
    assert str(problem.value).startswith(f"agent gpt: {fault}")
    assert "secret" not in str(problem.value)


def test_streaming_may_be_turned_off_in_so_many_words(server: HostileAgent) -> None:
    talk(server, "hello", extra_body={"stream": False})
    assert server.bodies[PATH][0]["stream"] is False


def test_what_was_said_before_and_is_remembered_is_told(
    server: HostileAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, says("Hello."))
    before = ({"role": "user", "content": "I am Ada."}, {"role": "assistant", "content": "Hello Ada."})

    async def run() -> None:
        connection = open_openai_agent(model(server.url("/v1")), keyed_world())
        async with connection.session(replace(start("Be kind."), history=before, memory={"seat": "aisle"})) as it:
            await it.send("hi")
        await connection.aclose()

    asyncio.run(run())
    assert contents(server.bodies[PATH][0]["messages"]) == [
        ("system", 'Be kind.\n\nMemory:\n{\n  "seat": "aisle"\n}'),
        ("user", "I am Ada."),
        ("assistant", "Hello Ada."),
        ("user", "hi"),
    ]
