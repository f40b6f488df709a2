"""Opening agents for a run: what they share is made once, and only if one of them needs it."""

import ssl
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from agentlab_ci.agents.interface import Agent, AgentWorld
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig


def make_agent_opener(
    *, environ: Mapping[str, str], project: Path, max_reply_bytes: int
) -> Callable[[AgentConfig], Agent]:
    """Return the function that opens an agent for one worker slot."""
    world = AgentWorld(
        environ=environ, project=project, max_reply_bytes=max_reply_bytes, tls=cache(_read_trusted_authorities)
    )
    return lambda config: AGENTS[config.provider](config, world)


def _read_trusted_authorities() -> ssl.SSLContext:
    import httpx  # noqa: PLC0415 - only agents behind https need it

    return httpx.create_ssl_context()
