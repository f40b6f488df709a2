"""The parts of a config as they stand in its data: each can be looked at though another is wrong."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import ValidationError

from agentlab_ci.core.model import camel_case
from agentlab_ci.loading.yaml_source import Loc

Part = tuple[Loc, object]
"""Something in the data, and the way to it."""
PartT = TypeVar("PartT")


def items_of(parts: Iterable[Part], *keys: str) -> Iterator[Part]:
    """Yield the items of the lists under the keys, one inside the other; keys may stand in camelCase."""
    for loc, value in parts:
        if not keys:
            yield loc, value
            continue
        key, *rest = keys
        for index, item in enumerate(_list_under(value, key)):
            yield from items_of([((*loc, key, index), item)], *rest)


def texts_of(parts: Iterable[Part], key: str) -> Iterator[tuple[Loc, str]]:
    """Yield the text that stands under the key of each mapping."""
    for loc, value in parts:
        text = _under(value, key)
        if isinstance(text, str):
            yield (*loc, key), text


def valid(parts: Iterable[Part], validate: Callable[[object], PartT]) -> Iterator[tuple[Loc, PartT]]:
    """Yield as models those parts that are valid by themselves."""
    for loc, value in parts:
        try:
            yield loc, validate(value)
        except ValidationError:
            continue


def under(data: object, key: str) -> list[Part]:
    """Return the one part under a key of the top, if it is there."""
    value = _under(data, key)
    return [] if value is None else [((key,), value)]


def _under(value: object, key: str) -> object:
    if not isinstance(value, Mapping):
        return None
    return value.get(key, value.get(camel_case(key)))


def _list_under(value: object, key: str) -> list[object]:
    items = _under(value, key)
    return items if isinstance(items, list) else []
