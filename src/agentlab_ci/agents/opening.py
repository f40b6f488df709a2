"""Opening agents for a run: what they share is made once, and only if one of them needs it."""

import asyncio
import ssl
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from agentlab_ci.agents.interface import Agent, AgentWorld
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.errors import BadInputError


def make_agent_opener(
    *,
    environ: Mapping[str, str],
    project: Path,
    max_reply_bytes: int,
    mask: Callable[[str], str],
) -> Callable[[AgentConfig], Agent]:
    """Return the function that opens an agent for one worker slot; `mask` takes the secrets out of a text."""
    world = AgentWorld(
        environ=environ,
        project=project,
        max_reply_bytes=max_reply_bytes,
        tls=cache(_read_trusted_authorities),
        mask=mask,
    )
    return lambda config: AGENTS[config.provider](config, world)


def check_agents(configs: Iterable[AgentConfig], open_agent: Callable[[AgentConfig], Agent]) -> list[str]:
    """Open each agent once, close it, and return why some cannot be opened, each reason once.

    Nothing is sent. What the environment says of proxies and certificates is read here for the first time.
    """
    return asyncio.run(_open_and_close(configs, open_agent))


async def _open_and_close(configs: Iterable[AgentConfig], open_agent: Callable[[AgentConfig], Agent]) -> list[str]:
    reasons = []
    for config in configs:
        try:
            agent = open_agent(config)
        except BadInputError as problem:
            reasons.append(str(problem))
        else:
            await agent.aclose()
    return list(dict.fromkeys(reasons))


def _read_trusted_authorities() -> ssl.SSLContext:
    from agentlab_ci.agents.http_client import read_trusted_authorities  # noqa: PLC0415 - imports httpx

    return read_trusted_authorities()
