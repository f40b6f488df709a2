"""Hashes by which results are told comparable: what is asked, judged and run, not what it is called."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel

from agentlab_ci.core.config import (
    DEFAULT_PASS_SCORE,
    AgentConfig,
    CustomTool,
    ModelEndpoint,
    RuntimeProfile,
    Variant,
)
from agentlab_ci.core.placeholder import find_placeholders
from agentlab_ci.core.scenario import Scenario, Simulation, Task

_NOT_BEHAVIOUR = {"name", "label", "max_concurrency", "price"}
_SECRET_WORD = re.compile(
    "auth|authorization|cookie|credentials?|(api|access|private)?key|pass(word|phrase|wd)?|pwd|secret|signature|token"
)
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def hash_scenario(
    scenario: Scenario,
    profile: RuntimeProfile | None,
    tools: Iterable[CustomTool] = (),
    *,
    pass_score: float = DEFAULT_PASS_SCORE,
    simulator: ModelEndpoint | None = None,
    judge: ModelEndpoint | None = None,
) -> str:
    """Return 16 hex digits over all that changes what a sample does or how it is judged, defaults filled in.

    Names, description, tags, difficulty, suite, sampling, agent and place are left out, so that a comment, the
    order of keys or another agent change nothing. Of `tools`, which are the project's own, those count that the
    scenario allows; secrets in their commands do not. `pass_score` is the score that a sample needs. In
    simulations the models count that play the user and judge, but for what changes no reply of theirs: the name
    of their key, price, time limit.
    """
    allowed = scenario.body.tools_allowed if isinstance(scenario.body, Task) else ()
    meaning = {
        "type": scenario.type,
        "body": scenario.body,
        "evaluators": scenario.evaluators,
        "system_prompt": scenario.system_prompt,
        "normalize": scenario.normalize,
        "setup_script": scenario.setup_script,
        "profile": profile.model_dump(mode="json", exclude={"name"}) if profile else None,
        "pass_score": float(pass_score),
        "tools": {t.name: _without_secrets(t.model_dump(mode="json")) for t in tools if t.name in allowed},
    }
    if isinstance(scenario.body, Simulation):
        meaning |= {"simulator": _describe_model(simulator), "judge": _describe_model(judge)}
    return _digest(meaning)


def hash_config(agent: AgentConfig, variant: Variant) -> str:
    """Return 16 hex digits over all that the config says of how a variant behaves: its `config_hash`.

    That is the agent's config without `name`, `label`, `max_concurrency` and `price`, and the variant's
    `prompt_version`, `model_version` and `tool_schema_version`: only these tell of what stands outside of the
    config, such as the prompt behind a URL. Labels, notes and `gate` are left out. Tools and profile are the
    scenario's, and part of its own hash.

    No secret can be guessed from it: placeholders count, and not what they stand for; user info of URLs does not
    count, nor text under a name that sounds like a secret's in headers, bodies, queries and arguments.
    """
    meaning = {
        "agent": _without_secrets(agent.model_dump(mode="json", exclude=_NOT_BEHAVIOUR)),
        "prompt_version": variant.prompt_version,
        "model_version": variant.model_version,
        "tool_schema_version": variant.tool_schema_version,
    }
    return _digest(meaning)


def _digest(meaning: Mapping[str, Any]) -> str:
    text = json.dumps(meaning, sort_keys=True, ensure_ascii=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe_model(endpoint: ModelEndpoint | None) -> dict[str, Any] | None:
    dump = endpoint and endpoint.model_dump(mode="json", exclude={"api_key_env", "price", "timeout_ms"})
    return _without_secrets(dump) if dump else None


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value)


def _without_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dump of a config without what may be secret in the values that users name themselves."""
    public: dict[str, Any] = dict(config)
    for name in ("headers", "request_template", "extra_body"):
        if name in public:
            public[name] = _public(public[name])
    if "headers" in public:  # whose names are the same in any case
        public["headers"] = {name.lower(): value for name, value in public["headers"].items()}
    for name in ("args", "command"):
        if isinstance(public.get(name), list):
            public[name] = list(_public_arguments(public[name]))
    for name in ("url", "base_url"):
        if public.get(name) is not None:
            public[name] = _public_url(public[name])
    return public


def _public(value: Any, *, secret: bool = False) -> Any:
    """Return the value with nothing but the placeholders of each text that stands under a secret's name."""
    if isinstance(value, Mapping):
        return {key: _public(item, secret=secret or _sounds_secret(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_public(item, secret=secret) for item in value]
    return list(find_placeholders(value)) if secret and isinstance(value, str) else value


def _public_arguments(arguments: Iterable[str]) -> Iterator[str]:
    """Yield the arguments; of `--token=x` and `--token x`, only what is called a token and not which."""
    follows_secret = False
    for argument in arguments:
        option, equals, _ = argument.partition("=")
        names_secret = _sounds_secret(option) and (bool(equals) or option.startswith("-"))
        if not follows_secret:
            yield option + equals if names_secret else argument
        follows_secret = names_secret and not equals and not follows_secret


def _public_url(url: str) -> list[Any]:
    parts = urlsplit(url)
    query = [(name, _public(value, secret=_sounds_secret(name))) for name, value in parse_qsl(parts.query, True)]
    return [parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query]


def _sounds_secret(name: str) -> bool:
    return any(_SECRET_WORD.fullmatch(word.lower()) for word in _WORD.findall(name))
