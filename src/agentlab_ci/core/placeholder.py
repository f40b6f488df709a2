"""`{{name}}` in request templates and headers: which stand there, and filling them in."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

CONVERSATION_PLACEHOLDERS = ("message", "conversation_id", "messages", "memory", "userdata")
ENV_PREFIX = "env."

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")


def find_placeholders(template: object) -> Iterator[str]:
    """Yield the name of every placeholder in the strings of a JSON-like value, keys left alone."""
    if isinstance(template, str):
        yield from _PLACEHOLDER.findall(template)
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from find_placeholders(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from find_placeholders(value)


def fill_placeholders(template: object, values: Mapping[str, Any]) -> Any:
    """Return the template with every placeholder replaced; `values` must hold each of them.

    A string that is exactly one placeholder becomes the value itself, a list or an object included; inside other
    text it is the value's string, JSON for a list or an object. What is filled in is not searched again, so an
    answer cannot smuggle a placeholder in.
    """
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template)
        if whole is not None:
            return values[whole[1]]
        return _PLACEHOLDER.sub(lambda match: _as_text(values[match[1]]), template)
    if isinstance(template, Mapping):
        return {key: fill_placeholders(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [fill_placeholders(value, values) for value in template]
    return template


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
