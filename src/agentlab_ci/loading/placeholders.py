"""Where an agent's config holds placeholders, and which environment variables they name."""

from collections.abc import Iterator, Mapping

from agentlab_ci.core.config import AgentConfig, HttpAgent
from agentlab_ci.core.placeholder import ENV_PREFIX, find_placeholders
from agentlab_ci.loading.yaml_source import Loc


def placeholders_of(agent: AgentConfig) -> Iterator[tuple[Loc, str]]:
    """Yield (way to the text inside the agent's config, placeholder name) for headers and request template."""
    if isinstance(agent, HttpAgent):
        for loc, text in _texts({"headers": agent.headers, "request_template": agent.request_template}, ()):
            for name in find_placeholders(text):
                yield loc, name


def env_placeholders_of(agent: AgentConfig) -> Iterator[tuple[Loc, str]]:
    """Yield (way, variable) for each `{{env.VARIABLE}}`."""
    for loc, name in placeholders_of(agent):
        if name.startswith(ENV_PREFIX):
            yield loc, name.removeprefix(ENV_PREFIX)


def _texts(value: object, loc: Loc) -> Iterator[tuple[Loc, str]]:
    if isinstance(value, str):
        yield loc, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*loc, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _texts(item, (*loc, index))
