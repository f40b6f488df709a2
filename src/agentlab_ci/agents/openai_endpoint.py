"""The way to an OpenAI-compatible endpoint, as agents and the models of simulations take it."""

from agentlab_ci.agents.http_exchange import HttpExchange
from agentlab_ci.agents.interface import AgentWorld
from agentlab_ci.agents.openai_config import Owner, advise, check_endpoint, read_key
from agentlab_ci.agents.openai_request import completions_url
from agentlab_ci.core.config import Endpoint


def open_endpoint(config: Endpoint, owner: Owner, world: AgentWorld) -> tuple[HttpExchange, str]:
    """Return the exchange with the endpoint for one slot, not yet connected, and the key that it takes.

    Raises BadInputError for a key that is missing or cannot be sent, a `base_url` that no request can be made to,
    an `extra_body` that would replace the talk, and variables of proxies and certificates that cannot be used.
    """
    check_endpoint(config, owner)
    key = read_key(config, owner, world.environ)
    exchange = HttpExchange(
        method="POST",
        url=completions_url(config.base_url),
        timeout_ms=config.timeout_ms,
        advice=advise(config, owner),
        world=world,
    )
    return exchange, key
