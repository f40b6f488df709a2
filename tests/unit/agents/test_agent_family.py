"""What holds for every agent of the registry. A new one needs a row here too."""

import asyncio
import ssl
import subprocess
import sys
from typing import Any, cast

import pytest
from pydantic import TypeAdapter

from agentlab_ci.agents.interface import Agent, AgentTurn, AgentWorld, Reply, SessionStart, Talker, Worker
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.tool import TaskBrief
from children import HOSTILE_CHILDREN, PROCESS_AGENT
from loopback import HostileAgent, hostile_agent

CONFIGS: dict[Provider, dict[str, Any]] = {
    Provider.MOCK: {"replies": [{"reply": "hello"}]},
    Provider.HTTP: {"url": "/ok"},
    Provider.OPENAI: {"model": "m", "base_url": "/v1"},
    Provider.EXTERNAL_PROCESS: {"command": sys.executable, "args": [PROCESS_AGENT, "no_newline", "-"]},
    Provider.PYTHON: {"target": "python_agent:greets"},
}
TALKERS = sorted(CONFIGS.keys() & RUNS_ON[ScenarioType.CONVERSATION])
WORKERS = sorted(CONFIGS.keys() & RUNS_ON[ScenarioType.TASK])


def test_every_agent_is_tested() -> None:
    assert CONFIGS.keys() == AGENTS.keys()


def open_agent(provider: Provider, web: HostileAgent) -> Agent:
    paths = {key: web.url(CONFIGS[provider][key]) for key in ("url", "base_url") if key in CONFIGS[provider]}
    config: AgentConfig = TypeAdapter[AgentConfig](AgentConfig).validate_python(
        {"name": "a", "provider": provider} | CONFIGS[provider] | paths
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    environ = {"OPENAI_API_KEY": "sk-test"}
    world = AgentWorld(environ=environ, project=HOSTILE_CHILDREN, max_reply_bytes=1 << 20, tls=lambda: tls)
    return AGENTS[provider](config, world)


def start_of(sample: int) -> SessionStart:
    return SessionStart(scenario_id="s.one", sample=sample, conversation_id=f"c{sample}")


@pytest.mark.parametrize("provider", TALKERS)
def test_a_talker_serves_one_session_after_another(provider: Provider) -> None:
    async def talk(web: HostileAgent) -> list[Reply]:
        agent = cast("Talker", open_agent(provider, web))
        replies = []
        for number in (1, 2):
            async with agent.session(start_of(number)) as session:
                replies += [await session.send("hi"), await session.send("there")]
        await agent.aclose()
        return replies

    with hostile_agent() as web:
        replies = asyncio.run(talk(web))
    # what the second sample hears is not coloured by the first
    assert [r.text for r in replies[:2]] == [r.text for r in replies[2:]]
    assert all(r.latency_ms >= 0 and r.note is None for r in replies)


@pytest.mark.parametrize("provider", WORKERS)
def test_a_worker_takes_one_task_after_another(provider: Provider) -> None:
    async def work(web: HostileAgent) -> list[AgentTurn]:
        agent = cast("Worker", open_agent(provider, web))
        turns = []
        for number in (1, 2):
            async with agent.task(start_of(number), TaskBrief(instructions="Do it.", tools=())) as session:
                turns.append(await session.advance([]))
        await agent.aclose()
        return turns

    with hostile_agent() as web:
        first, second = asyncio.run(work(web))
    assert first.final
    assert (first.final, first.calls) == (second.final, ())
    assert all(turn.latency_ms >= 0 and turn.note is None for turn in (first, second))


def test_a_run_with_the_mock_agent_does_not_pay_for_httpx() -> None:
    program = "import sys, agentlab_ci.agents.registry; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=30).returncode == 0
