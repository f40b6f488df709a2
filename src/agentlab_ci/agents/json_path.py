"""Dotted paths into JSON, such as `choices.0.message.content`."""

from typing import Any

_MOST_KEYS_NAMED = 8


class MissingValueError(Exception):
    """There is nothing at the path; the message says how far it leads and what is there."""


def find_value(data: object, path: str) -> Any:
    """Return the value at `path`: a key that bears exactly this name, else keys and list indexes from 0.

    Raises MissingValueError.
    """
    if isinstance(data, dict) and path in data:
        return data[path]
    value: Any = data
    walked: list[str] = []
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            place = f"`{'.'.join(walked)}`" if walked else "it"
            raise MissingValueError(f"{place} is {name_kind(value)}")
        walked.append(part)
    return value


def name_kind(value: object) -> str:
    """Say in JSON's words what a value is, with the keys of an object and the length of a list."""
    if isinstance(value, dict):
        return _name_object(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else "a number"


def _name_object(value: dict[str, Any]) -> str:
    if not value:
        return "an empty object"
    named = ", ".join(list(value)[:_MOST_KEYS_NAMED])
    return f"an object with {named}" + (", …" if len(value) > _MOST_KEYS_NAMED else "")
