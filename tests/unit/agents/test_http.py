"""The http agent against a loopback agent that misbehaves."""

import asyncio
import socket
import ssl
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from agentlab_ci.agents import http_client, http_failure
from agentlab_ci.agents.http import HttpConnection, open_http_agent
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentWorld, SessionStart, Talker
from agentlab_ci.agents.opening import make_agent_opener
from agentlab_ci.core.config import HttpAgent
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.errors import BadInputError
from http_talk import LONG_MS, config, say, start, world
from loopback import EXPECTED_WORDS, HostileAgent, closed_port, gzip_bomb, hostile_agent

SHORT_MS = 300


@pytest.fixture(scope="module")
def _server() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


@pytest.fixture
def hostile(_server: HostileAgent) -> HostileAgent:
    """The server as if it were new."""
    for kept in (_server.requests, _server.bodies, _server.memory, _server.received):
        kept.clear()
    return _server


def fail_then_succeed(hostile: HostileAgent, path: str, *, timeout_ms: int = LONG_MS) -> AgentFailedError:
    """Return the failure at `path`, once the same client has shown that its next request works."""

    async def talk() -> AgentFailedError:
        connection = open_http_agent(config(hostile.url(path), timeout_ms=timeout_ms), world())
        try:
            async with connection.session(start()) as session:
                # ten times the deadline: far from it on a slow machine, and still not for ever
                with pytest.raises(AgentFailedError) as failure:
                    async with asyncio.timeout(timeout_ms / 100):
                        await session.send("hello")
            await answers(connection, hostile)
            return failure.value
        finally:
            await connection.aclose()

    return asyncio.run(talk())


async def answers(connection: HttpConnection, hostile: HostileAgent) -> None:
    connection._exchange._url = httpx.URL(hostile.url("/ok"))
    connection._exchange._timeout_ms = LONG_MS
    async with connection.session(start()) as session:
        assert EXPECTED_WORDS in (await session.send("again")).text


@pytest.mark.parametrize("path", ["/silence", "/stall", "/trickle", "/trickle-headers"])
def test_the_deadline_is_total(hostile: HostileAgent, path: str) -> None:
    failure = fail_then_succeed(hostile, path, timeout_ms=SHORT_MS)
    assert failure.reason is TerminationReason.TIMEOUT_EXCEEDED
    assert not failure.redrawable
    assert failure.message == f"POST {hostile.url(path)}: no complete answer within 300 ms (`timeout_ms`)"


@pytest.mark.parametrize("path", ["/drop", "/drop-in-mid-body", "/drop-in-mid-chunk"])
def test_a_dropped_connection_is_redrawable(hostile: HostileAgent, path: str) -> None:
    failure = fail_then_succeed(hostile, path)
    assert failure.reason is TerminationReason.HTTP_CONNECTION_FAILED
    assert failure.redrawable
    assert not failure.unreached  # it was there
    assert "the connection broke before the answer was complete" in failure.message


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/garbage", "illegal status line"),
        ("/long-headers", "Receive buffer too long"),
        ("/negative-length", "bad Content-Length"),
        ("/broken-chunk", "illegal chunk header"),
        ("/101", "Received server _SWITCH_UPGRADE"),
    ],
)
def test_what_is_not_http_is_an_answer_in_the_wrong_form(hostile: HostileAgent, path: str, says: str) -> None:
    failure = fail_then_succeed(hostile, path)
    assert failure.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    assert not failure.redrawable  # the message was processed
    assert failure.message.startswith(f"POST {hostile.url(path)}: what came back is not HTTP ({says}")
    assert "sk-secret" not in failure.message  # what came is not quoted


def test_nobody_listening_is_redrawable() -> None:
    with closed_port() as port, pytest.raises(AgentFailedError) as failure:
        say(config(f"http://127.0.0.1:{port}/chat"), "hello")
    assert failure.value.reason is TerminationReason.HTTP_CONNECTION_FAILED
    assert failure.value.redrawable
    assert failure.value.unreached
    assert failure.value.message == (
        f"POST http://127.0.0.1:{port}/chat: no connection (Connection refused); "
        "is the agent running, and is `url` right?"
    )


def test_a_name_that_resolves_late_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    real = socket.getaddrinfo

    def slow(*args: Any, **kwargs: Any) -> Any:
        released.wait(30)
        return real("127.0.0.1", *args[1:], **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def talk() -> None:
        connection = open_http_agent(config("http://agent.test:9/", timeout_ms=SHORT_MS), world())
        async with connection.session(start()) as session:
            with pytest.raises(AgentFailedError) as failure:
                await session.send("hello")
        assert failure.value.reason is TerminationReason.TIMEOUT_EXCEEDED
        assert not released.is_set()
        await connection.aclose()
        released.set()  # asyncio.run waits for the look-up

    asyncio.run(talk())


def test_a_host_that_takes_no_connection_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(30))
    for module in (http_client, http_failure):
        monkeypatch.setattr(module, "CONNECT_SECONDS", 0.05)

    async def talk() -> AgentFailedError:
        connection = open_http_agent(config("http://agent.test:9/"), world())
        try:
            async with connection.session(start()) as session:
                with pytest.raises(AgentFailedError) as failure:
                    await session.send("hello")
                return failure.value
        finally:
            await connection.aclose()
            released.set()

    failure = asyncio.run(talk())
    assert failure.reason is TerminationReason.HTTP_CONNECTION_FAILED
    assert failure.redrawable
    assert failure.unreached
    assert "no connection within 0.05 s" in failure.message


@pytest.mark.parametrize(
    ("path", "status", "redrawable", "hint"),
    [
        ("/500", 500, False, "the agent did not answer the message; its own log may say why"),
        ("/404", 404, False, "check `url`"),
        # the query of the target may hold a token
        ("/302", 302, False, "redirects are not followed; set `url` to where it points (/ok)"),
        ("/502", 502, True, "the agent did not answer"),
        ("/504", 504, True, "the agent did not answer"),
    ],
)
def test_an_error_status_is_no_answer(
    hostile: HostileAgent, path: str, status: int, redrawable: bool, hint: str
) -> None:
    failure = fail_then_succeed(hostile, path)
    assert failure.reason is TerminationReason.HTTP_ERROR
    assert (failure.status, failure.redrawable) == (status, redrawable)
    assert f"POST {hostile.url(path)} answered HTTP {status}: {hint}" in failure.message


def test_a_redirect_to_what_is_no_url(hostile: HostileAgent) -> None:
    failure = fail_then_succeed(hostile, "/302-nowhere")
    assert failure.reason is TerminationReason.HTTP_ERROR
    assert failure.message == (
        f"POST {hostile.url('/302-nowhere')} answered with a redirect to what is no URL; "
        "redirects are not followed, check `url`"
    )


def test_a_long_body_of_an_error_is_masked_before_it_is_cut(hostile: HostileAgent) -> None:
    open_agent = make_agent_opener(
        environ={}, project=Path(), max_reply_bytes=1, mask=lambda text: text.replace("sk-secret", "***")
    )
    opened = cast("Talker", open_agent(config(hostile.url("/500-long"))))

    async def talk() -> AgentFailedError:
        try:
            async with opened.session(start()) as session:
                with pytest.raises(AgentFailedError) as failure:
                    await session.send("hello")
                return failure.value
        finally:
            await opened.aclose()

    body = asyncio.run(talk()).body or ""
    assert body.startswith("Oops: *** and more of it ...")
    assert "sk-" not in body


def test_an_error_keeps_its_body(hostile: HostileAgent) -> None:
    assert EXPECTED_WORDS in (fail_then_succeed(hostile, "/500").body or "")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/broken-json", "the reply is not JSON"),
        ("/html", "the reply is HTML, not JSON"),
        ("/empty-body", "the reply is empty, not JSON"),
        ("/nested-deep", "the reply is not JSON"),
        ("/missing-field", "the reply has no `message`: it is an object with reply, session"),
        ("/not-text", "`message` in the reply is a list of 1, not text"),
        ("/brotli", "its Content-Encoding 'br' was not asked for"),
        ("/big", "the reply is longer than 4194304 bytes (`max_reply_bytes`)"),
        ("/bomb", "the reply is longer than 4194304 bytes (`max_reply_bytes`)"),
    ],
)
def test_a_reply_in_another_form_is_no_answer(hostile: HostileAgent, path: str, says: str) -> None:
    failure = fail_then_succeed(hostile, path)
    assert failure.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    assert not failure.redrawable
    assert says in failure.message
    assert len(failure.body or "") <= 64 << 10


def test_an_empty_reply_is_an_answer(hostile: HostileAgent) -> None:
    [reply] = say(config(hostile.url("/empty-reply")), "hello")
    assert reply.text == ""


def test_bytes_that_are_not_utf8_are_replaced_and_noted(hostile: HostileAgent) -> None:
    [reply] = say(config(hostile.url("/latin-1")), "hello")
    assert reply.text == "caf\ufffd"
    assert reply.note == "the reply held bytes that are not UTF-8; each is shown as U+FFFD"


@pytest.mark.parametrize("path", ["/gzip", "/gzip-in-members"])
def test_compression_that_was_not_asked_for_is_undone(hostile: HostileAgent, path: str) -> None:
    [reply] = say(config(hostile.url(path)), "hello")
    assert reply.text == EXPECTED_WORDS
    assert hostile.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("path", "status", "retry_after"),
    [
        ("/429-once", 429, 1.0),
        ("/503-once", 503, None),
        ("/429-for-a-day", 429, 86_400.0),
        ("/429-silent", 429, None),
    ],
)
def test_a_busy_agent_says_when(hostile: HostileAgent, path: str, status: int, retry_after: float | None) -> None:
    with pytest.raises(AgentBusyError) as busy:
        say(config(hostile.url(path)), "hello")
    assert (busy.value.status, busy.value.retry_after) == (status, retry_after)
    assert busy.value.body


def test_a_busy_agent_leaves_the_session_as_it_was(hostile: HostileAgent) -> None:
    async def talk() -> None:
        connection = open_http_agent(
            config(hostile.url("/429-once"), request_template={"all": "{{messages}}"}), world()
        )
        async with connection.session(start()) as session:
            with pytest.raises(AgentBusyError):
                await session.send("one")
            await session.send("one")
            await session.send("two")
        await connection.aclose()

    asyncio.run(talk())
    one, two = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}
    answer = {"role": "assistant", "content": EXPECTED_WORDS}
    assert hostile.bodies["/429-once"] == [{"all": [one]}, {"all": [one]}, {"all": [one, answer, two]}]


def test_the_conversation_id_goes_with_every_request(hostile: HostileAgent) -> None:
    replies = say(config(hostile.url("/ok")), "my name is Ada", "who am I?")
    assert replies[1].text == f"{EXPECTED_WORDS}; you said: my name is Ada | who am I?"
    assert hostile.bodies["/ok"] == [
        {"message": "my name is Ada", "conversation_id": "c1"},
        {"message": "who am I?", "conversation_id": "c1"},
    ]


def test_headers_and_body_are_filled_in(hostile: HostileAgent) -> None:
    agent = config(
        hostile.url("/ok"),
        headers={"Authorization": "Bearer {{env.TOKEN}}", "X-Test-Id": "{{conversation_id}}"},
        request_template={"query": "{{message}}", "session": {"id": "{{conversation_id}}"}},
    )
    # a trailing line break is what `echo` leaves in a secret
    say(agent, "hi", using=world(environ={"TOKEN": "t-123\n"}))
    [request] = hostile.received
    assert request.headers["authorization"] == "Bearer t-123"
    assert request.headers["x-test-id"] == "c1"
    assert request.headers["content-type"] == "application/json"
    assert request.body == {"query": "hi", "session": {"id": "c1"}}


def test_userdata_is_sent_where_it_is_asked_for_and_beside_the_message_without_a_template(
    hostile: HostileAgent,
) -> None:
    asking = config(
        hostile.url("/ok"), headers={"X-Order": "{{userdata}}"}, request_template={"metadata": "{{userdata}}"}
    )
    silent = config(hostile.url("/ok"), request_template={"query": "{{message}}"})
    plain = config(hostile.url("/ok"))

    async def talk(agent: HttpAgent, begins: SessionStart) -> None:
        connection = open_http_agent(agent, world())
        async with connection.session(begins) as session:
            await session.send("hi")
        await connection.aclose()

    knows = replace(start(), userdata={"order": "ord_1"})
    for agent, begins in [(asking, knows), (asking, start()), (silent, knows), (plain, knows), (plain, start())]:
        asyncio.run(talk(agent, begins))
    assert hostile.bodies["/ok"] == [
        {"metadata": {"order": "ord_1"}},
        {"metadata": {}},
        {"query": "hi"},
        {"message": "hi", "conversation_id": "c1", "userdata": {"order": "ord_1"}},
        {"message": "hi", "conversation_id": "c1"},
    ]
    assert [request.headers.get("x-order") for request in hostile.received[:3]] == [
        '{"order": "ord_1"}',
        "{}",
        None,
    ]


def test_what_was_said_before_and_is_remembered_is_sent(hostile: HostileAgent) -> None:
    template = {"all": "{{messages}}", "knows": "{{memory}}", "in_words": "I know {{memory}}", "message": "x"}
    before = ({"role": "user", "content": "I am Ada."}, {"role": "assistant", "content": "Hello Ada."})

    async def talk(begins: SessionStart) -> None:
        connection = open_http_agent(config(hostile.url("/ok"), request_template=template), world())
        async with connection.session(begins) as session:
            await session.send("hi")
        await connection.aclose()

    asyncio.run(talk(replace(start(), history=before, memory={"seat": "aisle"})))
    asyncio.run(talk(start()))
    told, untold = hostile.bodies["/ok"]
    assert told["all"] == [*before, {"role": "user", "content": "hi"}]
    assert (told["knows"], told["in_words"]) == ({"seat": "aisle"}, 'I know {"seat": "aisle"}')
    assert (untold["all"], untold["knows"]) == ([{"role": "user", "content": "hi"}], {})


def test_a_header_cannot_be_broken_out_of(hostile: HostileAgent) -> None:
    agent = config(hostile.url("/ok"), headers={"X-Said": "{{message}}"})
    with pytest.raises(AgentFailedError, match="header X-Said was not sent") as failure:
        say(agent, "a\r\nX-Admin: yes")
    assert failure.value.reason is TerminationReason.AGENT_ERROR
    assert not hostile.requests


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"headers": {"My Header": "x"}}, "Illegal header name b'My Header'"),
        ({"headers": {"Content-Length": "5"}}, "Too much data for declared Content-Length"),
        ({"headers": {"Content-Length": "5000"}}, "Too little data for declared Content-Length"),
        ({"method": "GET", "request_template": {"q": "x" * 70_000}}, "URL component 'query' too long"),
    ],
)
def test_what_cannot_be_sent_says_what_to_check(hostile: HostileAgent, more: dict[str, Any], says: str) -> None:
    with pytest.raises(AgentFailedError) as failure:
        say(config(hostile.url("/ok"), **more), "hi")
    assert failure.value.reason is TerminationReason.AGENT_ERROR
    assert (failure.value.redrawable, failure.value.unreached) == (False, False)
    assert f" cannot be sent ({says}); check `headers` and `request_template`" in failure.value.message


def test_get_asks_in_the_query(hostile: HostileAgent) -> None:
    agent = config(hostile.url("/ok?lang=en"), method="GET")
    [reply] = say(agent, "where is my café order?")
    [request] = hostile.received
    assert (request.method, request.body) == ("GET", None)
    assert dict(httpx.QueryParams(request.query)) == {
        "lang": "en",
        "message": "where is my café order?",
        "conversation_id": "c1",
    }
    assert reply.text


def test_cookies_end_with_the_session(hostile: HostileAgent) -> None:
    async def talk() -> list[str]:
        connection = open_http_agent(config(hostile.url("/cookie")), world())
        said = []
        for _ in range(2):
            async with connection.session(start()) as session:
                said += [(await session.send("hi")).text for _ in range(2)]
        await connection.aclose()
        return said

    assert asyncio.run(talk()) == ["no cookie", "session=s1", "no cookie", "session=s1"]


@pytest.mark.parametrize("path", ["/cookie-value-not-ascii", "/cookie-name-not-ascii"])
def test_a_cookie_that_no_header_can_carry_is_not_kept(hostile: HostileAgent, path: str) -> None:
    replies = say(config(hostile.url(path)), "one", "two")
    assert [reply.text for reply in replies] == ["no cookie", "fine=1"]  # only the other cookie came back


def test_latency_is_that_of_the_request(hostile: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([100.0, 100.25])
    monkeypatch.setattr("agentlab_ci.agents.http_exchange.perf_counter", lambda: next(ticks))
    [reply] = say(config(hostile.url("/ok")), "hi")
    assert reply.latency_ms == 250


def test_user_info_is_sent_and_never_shown(hostile: HostileAgent) -> None:
    url = hostile.url("/500?key=hidden").replace("127.0.0.1", "me:hunter22@127.0.0.1")
    with pytest.raises(AgentFailedError) as failure:
        say(config(url), "hi")
    assert hostile.received[0].headers["authorization"].startswith("Basic ")
    assert "hunter22" not in str(failure.value)
    assert "hidden" not in str(failure.value)


def test_loopback_goes_past_the_proxy(hostile: HostileAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert say(config(hostile.url("/ok")), "hi")
        with pytest.raises(AgentFailedError) as failure:
            say(config("http://agent.test/chat"), "hi")
    assert "Connection refused" in failure.value.message


def test_every_variable_that_is_not_set_is_named() -> None:
    agent = config("http://x/", headers={"A": "{{env.ONE}}"}, request_template={"b": ["{{env.TWO}}"]})
    with pytest.raises(BadInputError, match="agent a: set the environment variable ONE, TWO"):
        open_http_agent(agent, world())


def test_https_uses_the_context_of_the_run() -> None:
    made = []

    def tls() -> ssl.SSLContext:
        made.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return made[-1]

    agent = config("https://agent.test/")
    opened = open_http_agent(agent, AgentWorld(environ={}, project=Path(), max_reply_bytes=1, tls=tls))
    asyncio.run(opened.aclose())
    assert len(made) == 1


def test_cancelled_requests_leave_a_client_that_works(hostile: HostileAgent) -> None:
    async def talk() -> None:
        connection = open_http_agent(config(hostile.url("/trickle")), world())
        async with connection.session(start()) as session:
            for number in range(20):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(number / 1000):
                        await session.send("hello")
        await answers(connection, hostile)
        await connection.aclose()

    asyncio.run(talk())


@pytest.mark.parametrize("path", ["/bomb", "/big"])
def test_a_huge_reply_takes_little_memory(hostile: HostileAgent, path: str) -> None:
    gzip_bomb()
    tracemalloc.start()
    try:
        with pytest.raises(AgentFailedError):
            say(config(hostile.url(path)), "hello")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # a few copies of a capped reply, not the 50 MB or 200 MB of the whole one
    assert peak < 25 << 20
