"""A chat agent that costs next to nothing: HTTP/1.1 with keep-alive on a free loopback port, in its own process.

`python stub.py DELAY_MS` prints its port. Every POST is answered after the delay. `GET` answers the seconds from
the first POST's arrival to the last one's answer, and forgets them.
"""

import asyncio
import json
import sys

REPLY = json.dumps({"message": "Your refund of 42.50 EUR for order A-1024 was sent on 2 March."}).encode()


class Span:
    """When the first request came and the last answer went."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.last = 0.0

    def take(self) -> bytes:
        """Return the seconds between them as JSON, and start over."""
        seconds = 0.0 if self.first is None else self.last - self.first
        self.first = None
        return json.dumps(seconds).encode()


class Connection(asyncio.Protocol):
    """One client's connection; requests follow one another."""

    def __init__(self, delay: float, span: Span) -> None:
        self._delay = delay
        self._span = span
        self._buffer = b""
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a TCP server is given
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lower = head.lower()
        length = int(lower.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        if head.startswith(b"GET"):
            self._answer(self._span.take())
            return
        if self._span.first is None:
            self._span.first = self._loop.time()
        self._loop.call_later(self._delay, self._reply) if self._delay else self._reply()

    def _reply(self) -> None:
        self._span.last = self._loop.time()
        self._answer(REPLY)

    def _answer(self, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def _serve(delay: float) -> None:
    span = Span()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(delay, span), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) / 1000))
