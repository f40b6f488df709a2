"""The request that carries one message: headers and body from the agent's templates."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci import __version__
from agentlab_ci.agents.interface import AgentFailedError
from agentlab_ci.core.config import HttpAgent
from agentlab_ci.core.placeholder import ENV_PREFIX, fill_placeholders, find_placeholders
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.errors import BadInputError

DEFAULT_TEMPLATE: Mapping[str, str] = {"message": "{{message}}", "conversation_id": "{{conversation_id}}"}
"""The body where the config has no `request_template`."""
_WITH_USERDATA: Mapping[str, str] = {**DEFAULT_TEMPLATE, "userdata": "{{userdata}}"}
"""The same in a simulation that has `userdata`."""

JSON_HEADERS: Mapping[str, str] = {
    "Accept": "application/json",
    # A cap on decoded bytes comes too late: 200 KB of gzip can hold 200 MB.
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": f"agentlab/{__version__}",
}
"""What goes with every request unless the config says otherwise."""

_NOT_IN_A_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestParts:
    """What is sent. `query` is added to the URL's own; `body` is None for GET."""

    headers: dict[bytes, bytes]
    query: dict[str, str] | None = None
    body: bytes | None = None


def read_env_values(config: HttpAgent, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the config's `env.NAME` placeholders by placeholder name.

    Raises BadInputError that names every variable which is not set.
    """
    names = {
        name
        for name in find_placeholders([config.headers, config.request_template or {}])
        if name.startswith(ENV_PREFIX)
    }
    missing = sorted(
        name.removeprefix(ENV_PREFIX) for name in names if name.removeprefix(ENV_PREFIX) not in environ
    )
    if missing:
        raise BadInputError(f"agent {config.name}: set the environment variable {', '.join(missing)}")
    return {name: environ[name.removeprefix(ENV_PREFIX)] for name in names}


def build_request(config: HttpAgent, values: Mapping[str, Any]) -> RequestParts:
    """Fill in the templates with `values`, by placeholder name.

    GET has no body: each top-level key of the template becomes a query parameter, as JSON unless it is text.
    Raises AgentFailedError for a header that HTTP cannot carry.
    """
    default = _WITH_USERDATA if values.get("userdata") else DEFAULT_TEMPLATE
    template = default if config.request_template is None else config.request_template
    content = fill_placeholders(template, values)
    headers = _build_headers(config, values)
    if config.method == "GET":
        return RequestParts(headers=headers, query={key: _as_text(value) for key, value in content.items()})
    # ASCII escapes: a lone surrogate in a message has no UTF-8 form.
    return RequestParts(headers=headers, body=json.dumps(content).encode())


def _build_headers(config: HttpAgent, values: Mapping[str, Any]) -> dict[bytes, bytes]:
    own = {name: _header_value(name, fill_placeholders(text, values)) for name, text in config.headers.items()}
    unwanted = {name.lower() for name in own} | ({"content-type"} if config.method == "GET" else set())
    defaults = {name: value.encode() for name, value in JSON_HEADERS.items() if name.lower() not in unwanted}
    return {name.encode(errors="replace"): value for name, value in (defaults | own).items()}


def _header_value(name: str, value: object) -> bytes:
    text = _as_text(value).strip()
    if _NOT_IN_A_HEADER.search(text):
        raise AgentFailedError(
            f"header {name} was not sent: its value holds a line break or control character",
            reason=TerminationReason.AGENT_ERROR,
        )
    return text.encode()


def _as_text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode(errors="replace").decode()
