"""What an openai agent's config must hold to beyond its form, and what it tells the user to check. Pure."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from agentlab_ci.agents.http_advice import HttpAdvice
from agentlab_ci.agents.url import find_url_fault
from agentlab_ci.core.config import OpenAIAgent
from agentlab_ci.errors import BadInputError


def read_key(config: OpenAIAgent, environ: Mapping[str, str]) -> str:
    """Return the key from the environment; raises BadInputError for one that is missing or cannot be sent."""
    # A line break at its end is what `echo` leaves in a secret.
    key = environ.get(config.api_key_env, "").strip()
    if not key:
        raise BadInputError(f"{config.api_key_env} is required: `{config.name}` takes its key from it")
    if not key.isprintable():
        raise BadInputError(
            f"agent {config.name}: {config.api_key_env} holds a line break or control character, "
            "which no header can carry"
        )
    return key


def check_config(config: OpenAIAgent) -> None:
    """Raise BadInputError for what a valid config may say and no request can carry."""
    fault = _find_fault(config)
    if fault is not None:
        raise BadInputError(f"agent {config.name}: {fault}")


def advise(config: OpenAIAgent) -> HttpAdvice:
    """Return what a failed request tells the user to check."""
    key = f"the key in `{config.api_key_env}`"
    request = "`model`, `extra_body` and the `input_schema` of the tools"
    return HttpAdvice(
        address="`base_url`",
        request=f"`extra_body` and {key}",
        statuses={
            400: f"check {request}",
            401: f"check {key}",
            402: f"the account of {key} has no credit",
            403: f"check what {key} may use, and `model`",
            404: "check `model`, and `base_url`, which ends before `/chat/completions`",
            405: "check `base_url`",
            422: f"check {request}",
        },
        otherwise="the server did not answer the message; what it says may tell why",
    )


def _find_fault(config: OpenAIAgent) -> str | None:
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
