"""An agent on loopback that misbehaves in every way that an HTTP agent has to bear, one way for each path.

`with hostile_agent() as agent:` starts it in a thread on a free port. `agent.url("/ok")` is where it answers;
`agent.requests["/ok"]` counts what came, and `agent.bodies["/ok"]` holds the JSON bodies, None where there was
none. It answers `/ok` with what was said to it in this conversation so far.
"""

import asyncio
import contextlib
import functools
import json
import socket
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

BOMB_BYTES = 200 << 20
BIG_BYTES = 50 << 20
PAUSE = 0.05
"""Seconds between the bytes of an answer that trickles."""
EXPECTED_WORDS = "hello, your order has shipped"
"""What a scenario may look for; error pages hold it too."""


@dataclass(frozen=True)
class Request:
    """What came: the path without its query, the headers in lower case, the JSON body."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any


@dataclass
class HostileAgent:
    """The running server, and what it was asked."""

    port: int
    received: list[Request] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    bodies: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    memory: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def url(self, path: str) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}{path}"

    def record(self, request: Request) -> int:
        """Keep the request and return how many there were on its path, this one included."""
        self.received.append(request)
        self.bodies[request.path].append(request.body)
        self.requests[request.path] += 1
        return self.requests[request.path]


class HangUpError(Exception):
    """The connection is closed without a further byte."""


Route = Callable[[HostileAgent, Request, int, asyncio.StreamWriter], Awaitable[None]]


@contextlib.contextmanager
def hostile_agent() -> Iterator[HostileAgent]:
    """Serve on a free port until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    agent = HostileAgent(port=listener.getsockname()[1])
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(_serve(agent, listener, stop),), daemon=True)
    thread.start()
    try:
        yield agent
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """Hold a port on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def _serve(agent: HostileAgent, listener: socket.socket, stop: asyncio.Event) -> None:
    connections: set[asyncio.Task[None]] = set()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            with contextlib.suppress(
                asyncio.IncompleteReadError, ConnectionError, HangUpError, asyncio.CancelledError
            ):
                async for request in _requests(reader):
                    await ROUTES.get(request.path, ROUTES["/404"])(agent, request, agent.record(request), writer)
                    await writer.drain()
        finally:
            connections.discard(task)
            if stop.is_set():
                writer.transport.abort()  # whoever it is may not be reading
            else:
                writer.close()

    server = await asyncio.start_server(serve_one, sock=listener)
    await stop.wait()
    server.close()
    for task in list(connections):
        task.cancel()
    await asyncio.gather(*connections, return_exceptions=True)
    await asyncio.sleep(0)  # transports close one turn later


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[Request]:
    while True:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        method, target, _ = first.split(" ")
        path, _, query = target.partition("?")
        yield Request(method, path, query, headers, json.loads(raw) if raw else None)


def _respond(
    writer: asyncio.StreamWriter, body: bytes, *, status: str = "200 OK", headers: tuple[str, ...] = ()
) -> None:
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers)
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def _says(text: str) -> bytes:
    return json.dumps({"message": text}).encode()


def fixed(body: bytes, *, status: str = "200 OK", headers: tuple[str, ...] = ()) -> Route:
    """Answer always the same."""

    async def route(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
        _respond(writer, body, status=status, headers=headers)

    return route


def first_time(status: str, *headers: str) -> Route:
    """Refuse the first request, answer every later one."""

    async def route(_: HostileAgent, __: Request, count: int, writer: asyncio.StreamWriter) -> None:
        if count == 1:
            _respond(writer, _says("not now"), status=status, headers=headers)
        else:
            _respond(writer, _says(EXPECTED_WORDS))

    return route


async def _remember(agent: HostileAgent, request: Request, _: int, writer: asyncio.StreamWriter) -> None:
    """Answer with all that was said in the conversation, so that a test can see what the agent knows."""
    body = request.body or {}
    said = agent.memory[str(body.get("conversation_id"))]
    said.append(str(body.get("message")))
    _respond(writer, _says(f"{EXPECTED_WORDS}; you said: {' | '.join(said)}"))


async def _complete(_: HostileAgent, request: Request, __: int, writer: asyncio.StreamWriter) -> None:
    """Answer as a model behind OpenAI's protocol, with all that the user has said."""
    said = [message["content"] for message in request.body["messages"] if message["role"] == "user"]
    text = f"{EXPECTED_WORDS}; you said: {' | '.join(said)}"
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    _respond(writer, json.dumps({"choices": [choice]}).encode())


async def _drop(_: HostileAgent, __: Request, ___: int, ____: asyncio.StreamWriter) -> None:
    raise HangUpError


def raw(data: bytes) -> Route:
    """Send these bytes, be they HTTP or not, and hang up."""

    async def route(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        raise HangUpError

    return route


async def _silence(_: HostileAgent, __: Request, ___: int, ____: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _stall(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"mess')
    await writer.drain()
    await asyncio.Event().wait()


async def _trickle(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
    body = _says("x" * 10_000)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(PAUSE)


async def _trickle_headers(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        writer.write(b"X-%d: y\r\n" % number)
        await writer.drain()
        await asyncio.sleep(PAUSE)


async def _big(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % BIG_BYTES)
    for _unused in range(BIG_BYTES >> 16):
        writer.write(b"z" * (1 << 16))
        await writer.drain()


@functools.cache
def gzip_bomb() -> bytes:
    """200 KB that unpack to 200 MB."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    block = b"A" * (1 << 20)
    return b"".join([packer.compress(block) for _ in range(BOMB_BYTES >> 20)]) + packer.flush()


async def _bomb(_: HostileAgent, __: Request, ___: int, writer: asyncio.StreamWriter) -> None:
    _respond(writer, gzip_bomb(), headers=("Content-Encoding: gzip",))


def set_cookies(*cookies: str) -> Route:
    """Answer with the cookies that came, and set these."""
    headers = tuple(f"Set-Cookie: {cookie}" for cookie in cookies)

    async def route(_: HostileAgent, request: Request, __: int, writer: asyncio.StreamWriter) -> None:
        _respond(writer, _says(request.headers.get("cookie", "no cookie")), headers=headers)

    return route


ROUTES: dict[str, Route] = {
    "/ok": _remember,
    "/v1/chat/completions": _complete,
    "/500": fixed(_says(EXPECTED_WORDS), status="500 Internal Server Error"),
    "/500-long": fixed(
        b"Oops: sk-secret and more of it ..." + b"sk-secret" * 10_000, status="500 Internal Server Error"
    ),
    "/502": fixed(b"bad gateway", status="502 Bad Gateway"),
    "/502-once": first_time("502 Bad Gateway"),
    "/503-once": first_time("503 Service Unavailable"),
    "/504": fixed(b"gateway timeout", status="504 Gateway Timeout"),
    "/401": fixed(b"who are you?", status="401 Unauthorized"),
    "/404": fixed(b"no such page", status="404 Not Found"),
    "/302": fixed(b"", status="302 Found", headers=("Location: /ok?token=hidden",)),
    "/302-nowhere": fixed(b"", status="302 Found", headers=("Location: http://me:sk-secret/",)),
    "/429-once": first_time("429 Too Many Requests", "Retry-After: 1"),
    "/429-for-ever": fixed(b"slow down", status="429 Too Many Requests", headers=("Retry-After: 1",)),
    "/429-for-a-day": fixed(b"tomorrow", status="429 Too Many Requests", headers=("Retry-After: 86400",)),
    "/429-silent": fixed(b"slow down", status="429 Too Many Requests"),
    "/broken-json": fixed(b'{"message": "hello'),
    "/html": fixed(f"<!doctype html><p>{EXPECTED_WORDS}".encode(), headers=("Content-Type: text/html",)),
    "/missing-field": fixed(json.dumps({"reply": EXPECTED_WORDS, "session": 1}).encode()),
    "/not-text": fixed(json.dumps({"message": [EXPECTED_WORDS]}).encode()),
    "/nested-deep": fixed(b"[" * 200_000),
    "/empty-reply": fixed(_says("")),
    "/empty-body": fixed(b""),
    "/drop": _drop,
    "/drop-in-mid-body": raw(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"mess'),
    "/drop-in-mid-chunk": raw(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"mess'),
    "/garbage": raw(b"\x00\x01 this is no HTTP: sk-secret\r\n\r\n"),
    "/long-headers": raw(b"HTTP/1.1 200 OK\r\nX: sk-secret" + b"x" * 300_000 + b"\r\n\r\n{}"),
    "/negative-length": raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
    "/broken-chunk": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsk-secret\r\n{}"),
    "/101": raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nsk-secret"),
    "/silence": _silence,
    "/stall": _stall,
    "/trickle": _trickle,
    "/trickle-headers": _trickle_headers,
    "/big": _big,
    "/bomb": _bomb,
    "/gzip": fixed(zlib.compress(_says(EXPECTED_WORDS), wbits=31), headers=("Content-Encoding: gzip",)),
    "/gzip-in-members": fixed(
        b"".join(zlib.compress(half, wbits=31) for half in (_says(EXPECTED_WORDS)[:9], _says(EXPECTED_WORDS)[9:])),
        headers=("Content-Encoding: gzip",),
    ),
    "/brotli": fixed(b"\x0b\x02\x80hello\x03", headers=("Content-Encoding: br",)),
    "/latin-1": fixed(
        '{"message": "café"}'.encode("latin-1"), headers=("Content-Type: application/json; charset=iso-8859-1",)
    ),
    "/cookie": set_cookies("session=s1"),
    "/cookie-value-not-ascii": set_cookies("a=é", "fine=1"),
    "/cookie-name-not-ascii": set_cookies("é=a", "fine=1"),
}
