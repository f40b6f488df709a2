"""What holds for every agent of the registry. A new one needs a row here too."""

import asyncio
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import TypeAdapter

from agentlab_ci.agents.interface import AgentWorld, Reply, SessionStart, Talker
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.core.provider import Provider
from loopback import hostile_agent

CONFIGS: dict[Provider, dict[str, Any]] = {
    Provider.MOCK: {"replies": [{"reply": "hello"}]},
    Provider.HTTP: {"url": "/ok"},
}


def test_every_agent_is_tested() -> None:
    assert CONFIGS.keys() == AGENTS.keys()


@pytest.mark.parametrize("provider", sorted(CONFIGS))
def test_an_agent_serves_one_session_after_another(provider: Provider) -> None:
    async def talk(config: AgentConfig) -> list[Reply]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        world = AgentWorld(environ={}, project=Path(), max_reply_bytes=1 << 20, tls=lambda: tls)
        agent = cast("Talker", AGENTS[provider](config, world))
        replies = []
        for number in (1, 2):
            start = SessionStart(scenario_id="s.one", sample=number, conversation_id=f"c{number}")
            async with agent.session(start) as session:
                replies += [await session.send("hi"), await session.send("there")]
        await agent.aclose()
        return replies

    with hostile_agent() as hostile:
        given = {"name": "a", "provider": provider} | CONFIGS[provider]
        if "url" in given:
            given["url"] = hostile.url(given["url"])
        config: AgentConfig = TypeAdapter[AgentConfig](AgentConfig).validate_python(given)
        replies = asyncio.run(talk(config))
    # what the second sample hears is not coloured by the first
    assert [r.text for r in replies[:2]] == [r.text for r in replies[2:]]
    assert all(r.latency_ms >= 0 and r.note is None for r in replies)


def test_a_run_with_the_mock_agent_does_not_pay_for_httpx() -> None:
    program = "import sys, agentlab_ci.agents.registry; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=30).returncode == 0
