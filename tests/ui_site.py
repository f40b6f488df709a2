"""The pages of `agentlab ui` over a database: asked in this process, or served on a free port for a browser."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from agentlab_ci.app import World
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.log import LogStyle
from agentlab_ci.ui.app import make_app
from agentlab_ci.ui.security import Guard

TOKEN = "the-token-of-this-start"
PORT = 4770
NOW = datetime(2026, 4, 9, 12, 0, tzinfo=UTC)


def make_world(folder: Path, said: list[str]) -> World:
    """Return a world whose lines are collected in `said`, and in which it is always the same moment."""
    return World(
        cwd=folder,
        environ={},
        console=Console(out=said.append, err=said.append, clock=time.monotonic),
        log_style=LogStyle(glyphs=TEXT, github=False),
        now=lambda: NOW,
        interrupts=Interrupts(),
    )


@dataclass(kw_only=True)
class Site:
    """The application, asked without a network. `said` is what it printed."""

    database: Path
    host: str = "127.0.0.1"
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        guard = Guard(host=self.host, port=PORT, token=TOKEN)
        self.guard = guard
        self.app = make_app(make_world(self.database.parent, self.said), database=self.database, guard=guard)

    @property
    def cookie(self) -> dict[str, str]:
        """What a browser sends that came by the printed address."""
        return {"Cookie": f"{self.guard.cookie}={TOKEN}"}

    def get(self, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET") -> httpx.Response:
        """Ask for a page; nothing is followed."""
        return asyncio.run(self._ask(method, path, headers or {}, None))

    def post(self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None) -> httpx.Response:
        """Send a form."""
        return asyncio.run(self._ask("POST", path, headers or {}, form))

    async def _ask(
        self, method: str, path: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return await client.request(method, path, headers=dict(headers), data=form)


@contextmanager
def serving(database: Path, acts: Mapping[str, Callable[[], object]] | None = None) -> Iterator[str]:
    """Serve the pages while the block lasts; yields the address with the token.

    A request for one of `acts` first has that done once, so that a browser can say when something is to happen.
    """
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        guard = Guard(host="127.0.0.1", port=port, token=TOKEN)
        app = make_app(make_world(database.parent, []), database=database, guard=guard)
        server = uvicorn.Server(
            uvicorn.Config(_Acting(app, dict(acts or {})), log_config=None, lifespan="off", ws="none", http="h11")
        )
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/?token={TOKEN}"
        finally:
            server.should_exit = True
            thread.join()


class _Acting:
    def __init__(self, app: ASGIApp, acts: dict[str, Callable[[], object]]) -> None:
        self._app = app
        self._acts = acts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        act = self._acts.pop(scope["path"], None)
        if act is not None:
            await asyncio.to_thread(act)
        await self._app(scope, receive, send)
