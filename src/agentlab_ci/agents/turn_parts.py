"""What the answers of process and Python agents have in common: tool calls, usage, and a log. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from agentlab_ci.agents.http_reply import LONGEST_SECRET, read_usage
from agentlab_ci.agents.json_path import name_kind
from agentlab_ci.core.config import UsageFields
from agentlab_ci.core.tool import CallRequest
from agentlab_ci.core.trace import Usage

LOG_LINES = 200
LOG_CHARACTERS = 500
LEFT_OUT = "… [more was left out]"
_WINDOW = LOG_CHARACTERS + 2 * LONGEST_SECRET
"""Characters of a line that are searched for secrets."""
_USAGE = UsageFields(
    input_tokens="usage.input_tokens", output_tokens="usage.output_tokens", cost_usd="usage.cost_usd"
)
_MOST_LEVELS = 64


class MalformedError(Exception):
    """An answer is not what the protocol says; the message says what was expected and what came."""


def read_own_usage(answer: Mapping[str, Any]) -> Usage:
    """Return what stands under `usage`; whatever is no sensible number is unknown."""
    return read_usage(answer, _USAGE)


def read_call(call: Mapping[str, Any], *, name_key: str, where: str) -> CallRequest:
    """Return the call that an object with `input` and a tool's name describes. Raises MalformedError."""
    name, value = call.get(name_key), call.get("input")
    if not isinstance(name, str) or not name:
        raise MalformedError(f"{where} needs `{name_key}`, the name of a tool, but it is {_name(call, name_key)}")
    if not isinstance(value, dict):
        raise MalformedError(f"{where} needs `input`, an object, but it is {_name(call, 'input')}")
    if _levels(value) > _MOST_LEVELS:
        raise MalformedError(f"`input` of {where} is nested more than {_MOST_LEVELS} levels deep")
    return CallRequest(name=name, input=value)


def _name(call: Mapping[str, Any], key: str) -> str:
    if key not in call:
        return "missing"
    return "empty" if call[key] == "" else name_kind(call[key])


def _levels(value: object) -> int:
    levels, layer = 0, [value]
    while layer and levels <= _MOST_LEVELS:
        levels += 1
        layer = [
            inner
            for item in layer
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return levels


class SessionLog:
    """What a sample's agent printed that was not for us: 200 lines of 500 characters, then a mark."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._room = LOG_LINES
        self._new: list[str] = []

    def add(self, line: str) -> None:
        """Take a line; nothing of it is kept once the log is full."""
        if self._room < 0:
            return
        self._room -= 1
        self._new.append(LEFT_OUT if self._room < 0 else self._cut(line))

    def take(self) -> tuple[str, ...]:
        """Return the lines since the last time."""
        taken, self._new = tuple(self._new), []
        return taken

    def _cut(self, line: str) -> str:
        if len(line) <= LOG_CHARACTERS:
            return line
        window = line[:_WINDOW]
        masked = self._mask(window)
        if len(line) > len(window):  # its end may be half a secret, and comes close as those before it shrink
            masked = masked[:-LONGEST_SECRET]
        return masked[:LOG_CHARACTERS] + LEFT_OUT
