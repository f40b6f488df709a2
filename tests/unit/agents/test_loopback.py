from typing import Any

import pytest

from agentlab_ci.agents.loopback import reroute, reroute_model, reroute_url, rerouted
from agentlab_ci.core.config import AgentConfig, HttpAgent, MockAgent, ModelEndpoint, OpenAIAgent
from agentlab_ci.core.provider import Provider


@pytest.mark.parametrize(
    ("url", "rerouted"),
    [
        ("http://localhost:3000/chat?x=1#y", "http://172.18.0.1:3000/chat?x=1#y"),
        ("http://127.0.0.1/chat", "http://172.18.0.1/chat"),
        ("http://[::1]:3000", "http://172.18.0.1:3000"),
        ("https://user:p%40ss@localhost:3000/", "https://user:p%40ss@172.18.0.1:3000/"),
        ("http://agent.localhost:3000/", "http://172.18.0.1:3000/"),
        ("http://agent:3000/localhost", "http://agent:3000/localhost"),
        ("http://10.0.0.1:3000/", "http://10.0.0.1:3000/"),
    ],
)
def test_only_a_loopback_host_is_replaced(url: str, rerouted: str) -> None:
    assert reroute_url(url, "172.18.0.1") == rerouted


def test_each_kind_of_agent_with_a_url_is_rerouted() -> None:
    http = HttpAgent(name="a", provider=Provider.HTTP, url="http://localhost:1/")
    openai = OpenAIAgent(name="b", provider=Provider.OPENAI, model="m", base_url="http://localhost:2/v1")
    mock = MockAgent(name="c", provider=Provider.MOCK)
    empty = HttpAgent(name="d", provider=Provider.HTTP)
    assert reroute(http, "gateway") == http.model_copy(update={"url": "http://gateway:1/"})
    assert reroute(openai, "gateway") == openai.model_copy(update={"base_url": "http://gateway:2/v1"})
    assert [reroute(agent, "gateway") for agent in (mock, empty)] == [mock, empty]


def test_the_models_of_simulations_are_rerouted_too() -> None:
    model = ModelEndpoint(model="m", base_url="http://localhost:2/v1")
    assert reroute_model(model, "gateway") == model.model_copy(update={"base_url": "http://gateway:2/v1"})
    assert reroute_model(model, None) is model
    assert reroute_model(None, "gateway") is None


def test_an_opener_is_given_the_rerouted_agent() -> None:
    opened: list[AgentConfig] = []
    agent = HttpAgent(name="a", provider=Provider.HTTP, url="http://localhost:1/")

    def open_agent(config: AgentConfig) -> Any:
        opened.append(config)

    rerouted(open_agent, None)(agent)
    rerouted(open_agent, "gateway")(agent)
    assert opened == [agent, reroute(agent, "gateway")]
