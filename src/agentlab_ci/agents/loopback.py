"""Agents and models on loopback addresses, which inside a container are not the machine around it."""

from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from agentlab_ci.agents.interface import Agent
from agentlab_ci.agents.url import is_loopback
from agentlab_ci.core.config import AgentConfig, HttpAgent, ModelEndpoint, OpenAIAgent


def rerouted(open_agent: Callable[[AgentConfig], Agent], host: str | None) -> Callable[[AgentConfig], Agent]:
    """Return the opener with `host`, if it is given, in place of loopback hosts; configs are left as they are."""
    if host is None:
        return open_agent
    return lambda config: open_agent(reroute(config, host))


def reroute(agent: AgentConfig, host: str) -> AgentConfig:
    """Return the agent with `host` in place of a loopback host in its URL; any other agent stays as it is."""
    if isinstance(agent, HttpAgent) and agent.url:
        return agent.model_copy(update={"url": reroute_url(agent.url, host)})
    if isinstance(agent, OpenAIAgent):
        return agent.model_copy(update={"base_url": reroute_url(agent.base_url, host)})
    return agent


def reroute_model(model: ModelEndpoint | None, host: str | None) -> ModelEndpoint | None:
    """Return the model of a simulation, if there is one, with `host`, if given, in place of a loopback host."""
    if model is None or host is None:
        return model
    return model.model_copy(update={"base_url": reroute_url(model.base_url, host)})


def reroute_url(url: str, host: str) -> str:
    """Return the URL with `host` in place of a loopback host; port, user info and the rest stay."""
    if not is_loopback(url):
        return url
    parts = urlsplit(url)
    userinfo, at, _ = parts.netloc.rpartition("@")
    port = "" if parts.port is None else f":{parts.port}"
    return urlunsplit(parts._replace(netloc=f"{userinfo}{at}{host}{port}"))
