"""What is wrong with a tool's schema: what no input could be held against, found before there is one."""

from collections.abc import Iterator, Mapping
from typing import Any

import referencing.jsonschema
from jsonschema import SchemaError
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from agentlab_ci.tools.bounded_validator import BoundedValidator, without_dialects
from agentlab_ci.tools.interface import ToolBrokenError

Way = tuple[str | int, ...]
"""Keys and indexes that lead from the top of the schema to a part of it."""
Finding = tuple[Way, str]
_REFERENCES = ("$ref", "$dynamicRef")


def why_no_schema(schema: Mapping[str, Any]) -> str | None:
    """Say what the schema's dialect, 2020-12 unless it names another, has against it."""
    schema = dict(schema)
    if not isinstance(schema.get("$schema", ""), str):
        return "$schema: must be text"
    try:
        dialect = validator_for(schema, default=Draft202012Validator)
    except ValueError as problem:
        return f"$schema: {problem}"
    return _why_refused(dialect, schema)


def find_wrong_parts(schema: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the way to each reference that leads nowhere or to no schema, and what is wrong with it."""
    try:
        BoundedValidator(schema)
    except ToolBrokenError as problem:
        yield (), str(problem)
    parts = _Parts(schema)
    for way, part in _walk((), parts.top):
        for inner, fault in parts.faults.get(id(part), ()):
            yield (*way, *inner), fault


class _Parts:
    """All parts of a schema that an input may be held against, and the `faults` of each, by its id()."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.faults: dict[int, list[Finding]] = {}
        self.top = without_dialects(schema)
        self._dialect = validator_for(schema, default=Draft202012Validator)
        self._specification = referencing.jsonschema.specification_with(self._dialect.META_SCHEMA["$schema"])
        resource = self._specification.create_resource(self.top)
        self._open = [(self.top, Registry().resolver_with_root(resource))]
        while self._open:
            part, resolver = self._open.pop()
            if id(part) not in self.faults:
                self.faults[id(part)] = list(self._follow(part, resolver))

    def _follow(self, part: Mapping[str, Any], resolver: Any) -> Iterator[Finding]:
        for inner in self._specification.subresources_of(part):
            if not isinstance(inner, Mapping):  # true and false, and text among draft 3's dependencies
                continue
            try:
                self._open.append((inner, resolver.in_subresource(self._specification.create_resource(inner))))
            except ValueError as problem:
                yield (), f"holds an `$id` that is no address: {problem}"
        for key in _REFERENCES:
            reference = part.get(key)
            if isinstance(reference, str):
                wrong = self._why_not_led(reference, resolver)
                if wrong is not None:
                    yield (key,), wrong

    def _why_not_led(self, reference: str, resolver: Any) -> str | None:
        try:
            found = resolver.lookup(reference)
        except Unresolvable:
            return f"{reference!r} leads nowhere: the schema does not hold it, and nothing is fetched"
        except ValueError as problem:
            return f"{reference!r} is no address: {problem}"
        if id(found.contents) not in self.faults:
            wrong = _why_refused(self._dialect, found.contents)
            if wrong is not None:
                return f"{reference!r} leads to no schema: {wrong}"
            if isinstance(found.contents, Mapping):
                self._open.append((found.contents, found.resolver))
        return None


def _why_refused(dialect: Any, schema: Any) -> str | None:
    try:
        dialect.check_schema(schema)
    except SchemaError as error:
        way = ".".join(str(part) for part in error.absolute_path)
        return f"{way}: {error.message}" if way else error.message
    return None


def _walk(way: Way, value: Any) -> Iterator[tuple[Way, Any]]:
    yield way, value
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _walk((*way, key), item)
