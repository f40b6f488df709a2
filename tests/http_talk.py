"""Talking to an http agent in a test: its config, its world, one session from open to close."""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentlab_ci.agents.http import open_http_agent
from agentlab_ci.agents.interface import AgentWorld, Reply, SessionStart
from agentlab_ci.core.config import HttpAgent

LONG_MS = 20_000


def no_tls() -> ssl.SSLContext:
    """Fail: plain http has no use for a TLS context."""
    raise AssertionError("plain http has no use for a TLS context")


def world(
    *, environ: dict[str, str] | None = None, cap: int = 4 << 20, mask: Callable[[str], str] = str
) -> AgentWorld:
    """Return a world without TLS."""
    return AgentWorld(environ=environ or {}, project=Path(), max_reply_bytes=cap, tls=no_tls, mask=mask)


def config(url: str, **more: Any) -> HttpAgent:
    """Return the config of an agent at `url` that has all the time it needs."""
    return HttpAgent.model_validate({"name": "a", "provider": "http", "url": url, "timeout_ms": LONG_MS} | more)


def start(conversation_id: str = "c1") -> SessionStart:
    """Return the start of a sample."""
    return SessionStart(scenario_id="s.one", sample=1, conversation_id=conversation_id)


def say(agent: HttpAgent, *messages: str, using: AgentWorld | None = None) -> list[Reply]:
    """Open the agent, say the messages in one session, close it."""

    async def talk() -> list[Reply]:
        connection = open_http_agent(agent, using or world())
        try:
            async with connection.session(start()) as session:
                return [await session.send(message) for message in messages]
        finally:
            await connection.aclose()

    return asyncio.run(talk())
