"""What an endpoint's config must hold to beyond its form, and what it tells the user to check. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from agentlab_ci.agents.http_advice import HttpAdvice
from agentlab_ci.agents.url import find_url_fault
from agentlab_ci.core.config import Endpoint, OpenAIAgent
from agentlab_ci.errors import BadInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose endpoint it is, in the words of messages: `keys` stands before the names of its keys.

    `title` begins a message about its config, `takes_key` says whose key a variable holds, `party` who answers.
    """

    title: str
    takes_key: str
    party: str
    keys: str = ""
    request: str = "`model` and `extra_body`"


def name_agent(config: OpenAIAgent) -> Owner:
    """Return what messages call an agent."""
    return Owner(
        title=f"agent {config.name}",
        takes_key=f"`{config.name}` takes its key from it",
        party="the agent",
        request="`model`, `extra_body` and the `input_schema` of the tools",
    )


def name_model(role: str) -> Owner:
    """Return what messages call the model of a section of the config, `simulator` or `judge`."""
    return Owner(
        title=role,
        takes_key=f"`{role}.api_key_env` names it",
        party=f"the {role}",
        keys=f"{role}.",
        request=f"`{role}.model` and `{role}.extra_body`",
    )


def read_key(config: Endpoint, owner: Owner, environ: Mapping[str, str]) -> str:
    """Return the key from the environment; raises BadInputError for one that is missing or cannot be sent."""
    # A line break at its end is what `echo` leaves in a secret.
    key = environ.get(config.api_key_env, "").strip()
    if not key:
        raise BadInputError(f"{config.api_key_env} is required: {owner.takes_key}")
    if not key.isprintable():
        raise BadInputError(
            f"{owner.title}: {config.api_key_env} holds a line break or control character, "
            "which no header can carry"
        )
    return key


def check_endpoint(config: Endpoint, owner: Owner) -> None:
    """Raise BadInputError for what a valid config may say and no request can carry."""
    fault = _find_fault(config)
    if fault is not None:
        raise BadInputError(f"{owner.title}: {fault}")


def advise(config: Endpoint, owner: Owner) -> HttpAdvice:
    """Return what a failed request tells the user to check."""
    key = f"the key in `{config.api_key_env}`"
    model, base_url = f"`{owner.keys}model`", f"`{owner.keys}base_url`"
    return HttpAdvice(
        address=base_url,
        request=f"`{owner.keys}extra_body` and {key}",
        statuses={
            400: f"check {owner.request}",
            401: f"check {key}",
            402: f"the account of {key} has no credit",
            403: f"check what {key} may use, and {model}",
            404: f"check {model}, and {base_url}, which ends before `/chat/completions`",
            405: f"check {base_url}",
            422: f"check {owner.request}",
        },
        otherwise="the server did not answer the message; what it says may tell why",
        party=owner.party,
    )


def _find_fault(config: Endpoint) -> str | None:
    fault = find_url_fault(config.base_url)
    if fault is not None:
        return f"`base_url` {fault}"
    if "@" in urlsplit(config.base_url).netloc:
        return "`base_url` holds a user or password, which would be sent instead of the key: leave it out"
    for key in ("messages", "tools"):
        if key in config.extra_body:
            return f"`extra_body` cannot hold `{key}`: the scenario says what stands there"
    if config.extra_body.get("stream"):
        return "`extra_body` cannot hold `stream`: replies are read in one piece"
    return None
