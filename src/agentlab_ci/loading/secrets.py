"""What must never be shown: values of the environment variables that a config names, and user info in URLs."""

import re
from collections.abc import Iterator, Mapping

from agentlab_ci.core.config import Config, ExternalProcessAgent, HttpAgent, OpenAIAgent, PythonAgent
from agentlab_ci.core.url import user_info
from agentlab_ci.loading.placeholders import env_placeholders_of

_WORD = re.compile(r"\w+")
_USERINFO = re.compile(r"://([^\s/@]+)@")


def secret_values(config: Config, environ: Mapping[str, str]) -> frozenset[str]:
    """Return every text that is to be masked: values of the named variables that are set, and URLs' user info.

    The URLs of proxies are among them: a proxy may give back what it was sent.
    """
    values = frozenset(environ[name] for name in secret_names(config) if environ.get(name))
    return values | url_userinfo(config) | proxy_userinfo(environ)


def guess_secrets(text: str, environ: Mapping[str, str]) -> frozenset[str]:
    """Return the values of all variables that an unreadable config names anywhere, and the user info of its URLs.

    For the messages about that very config: too much is masked there rather than too little.
    """
    words = set(_WORD.findall(text))
    values = frozenset(value for name, value in environ.items() if value and name in words)
    return values | frozenset(_USERINFO.findall(text)) | proxy_userinfo(environ)


def secret_names(config: Config) -> frozenset[str]:
    """Return every environment variable that a placeholder, allow list, `api_key_env` or `redact` names."""
    return frozenset([*config.redact, *_names_of_agents(config), *_names_of_tools_and_models(config)])


def url_userinfo(config: Config) -> frozenset[str]:
    """Return what stands before the `@` of configured URLs: whole, and the password (else the user) alone."""
    return frozenset(text for url in _urls(config) for text in user_info(url))


def proxy_userinfo(environ: Mapping[str, str]) -> frozenset[str]:
    """Return the same of the proxies that the environment names."""
    proxies = (value for name, value in environ.items() if name.lower().endswith("_proxy"))
    return frozenset(text for url in proxies for text in user_info(url))


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
