"""What must never be shown: values of the environment variables that a config names, and user info in URLs."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

from agentlab_ci.core.config import Config, ExternalProcessAgent, HttpAgent, OpenAIAgent, PythonAgent
from agentlab_ci.loading.placeholders import env_placeholders_of

_WORD = re.compile(r"\w+")
_USERINFO = re.compile(r"://([^\s/@]+)@")


def secret_values(config: Config, environ: Mapping[str, str]) -> frozenset[str]:
    """Return every text that is to be masked: values of the named variables that are set, and URLs' user info."""
    return frozenset(environ[name] for name in secret_names(config) if environ.get(name)) | url_userinfo(config)


def guess_secrets(text: str, environ: Mapping[str, str]) -> frozenset[str]:
    """Return the values of all variables that an unreadable config names anywhere, and the user info of its URLs.

    For the messages about that very config: too much is masked there rather than too little.
    """
    words = set(_WORD.findall(text))
    values = frozenset(value for name, value in environ.items() if value and name in words)
    return values | frozenset(_USERINFO.findall(text))


def secret_names(config: Config) -> frozenset[str]:
    """Return every environment variable that a placeholder, allow list, `api_key_env` or `redact` names."""
    return frozenset([*config.redact, *_names_of_agents(config), *_names_of_tools_and_models(config)])


def url_userinfo(config: Config) -> frozenset[str]:
    """Return what stands before the `@` of configured URLs: whole, and the password (else the user) alone."""
    return frozenset(text for url in _urls(config) for text in _userinfo(url))


def _names_of_agents(config: Config) -> Iterator[str]:
    for agent in config.agents:
        yield from (name for _, name in env_placeholders_of(agent))
        if isinstance(agent, ExternalProcessAgent | PythonAgent):
            yield from agent.env_allowlist
        if isinstance(agent, OpenAIAgent):
            yield agent.api_key_env


def _names_of_tools_and_models(config: Config) -> Iterator[str]:
    for tool in config.tools:
        yield from tool.env_allowlist
    for endpoint in (config.simulator, config.judge):
        if endpoint is not None:
            yield endpoint.api_key_env


def _urls(config: Config) -> Iterator[str]:
    for agent in config.agents:
        if isinstance(agent, HttpAgent) and agent.url:
            yield agent.url
        if isinstance(agent, OpenAIAgent):
            yield agent.base_url
    for endpoint in (config.simulator, config.judge):
        if endpoint is not None:
            yield endpoint.base_url


def _userinfo(url: str) -> Iterator[str]:
    userinfo, at, _ = urlsplit(url).netloc.rpartition("@")
    if at:
        user, _, password = userinfo.partition(":")
        for text in (userinfo, password or user):
            yield text
            yield unquote(text)
