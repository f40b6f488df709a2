"""Every provider that can be opened, and how; and what a URL of theirs must be."""

from agentlab_ci.agents.interface import Agent, AgentFactory, AgentWorld
from agentlab_ci.agents.mock import open_mock_agent
from agentlab_ci.agents.url import find_url_fault
from agentlab_ci.core.config import ExternalProcessAgent, HttpAgent, OpenAIAgent, PythonAgent
from agentlab_ci.core.provider import Provider

__all__ = ["AGENTS", "find_url_fault"]


def _open_http_agent(config: HttpAgent, world: AgentWorld) -> Agent:
    from agentlab_ci.agents.http import open_http_agent  # noqa: PLC0415 - httpx takes 0.1 s to import

    return open_http_agent(config, world)


def _open_openai_agent(config: OpenAIAgent, world: AgentWorld) -> Agent:
    from agentlab_ci.agents.openai import open_openai_agent  # noqa: PLC0415 - httpx takes 0.1 s to import

    return open_openai_agent(config, world)


def _open_process_agent(config: ExternalProcessAgent, world: AgentWorld) -> Agent:
    from agentlab_ci.agents.external_process import open_process_agent  # noqa: PLC0415 - only runs need processes

    return open_process_agent(config, world)


def _open_python_agent(config: PythonAgent, world: AgentWorld) -> Agent:
    from agentlab_ci.agents.python import open_python_agent  # noqa: PLC0415 - only runs need processes

    return open_python_agent(config, world)


AGENTS: dict[Provider, AgentFactory] = {
    Provider.MOCK: open_mock_agent,
    Provider.HTTP: _open_http_agent,
    Provider.OPENAI: _open_openai_agent,
    Provider.EXTERNAL_PROCESS: _open_process_agent,
    Provider.PYTHON: _open_python_agent,
}
