"""An HTTP agent on loopback that gives back what it was sent, wherever an answer has room for it.

`with echo_agent(answer) as port:` serves until the block ends. `answer` makes the whole response, head and body,
of what came with the headers Authorization and Proxy-Authorization.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Echo = Callable[[str], bytes]


def response(body: str, *headers: str, status: str = "200 OK") -> bytes:
    """Return a response as it stands on the wire."""
    content = body.encode()
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


@contextlib.contextmanager
def echo_agent(answer: Echo) -> Iterator[int]:
    """Serve on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            came = (self.headers.get(name, "") for name in ("Authorization", "Proxy-Authorization"))
            self.wfile.write(answer("".join(text.partition(" ")[2] for text in came)))
            self.close_connection = True

        do_GET = do_POST = do_CONNECT = _answer  # noqa: N815 - the base class calls them so

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
