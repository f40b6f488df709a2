"""jsonschema with a deadline: no pattern, reference or combination of a schema can hold the run."""

import json
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import regex
from jsonschema import ValidationError
from jsonschema.validators import Draft202012Validator, extend, validator_for
from referencing import Registry

from agentlab_ci.tools.interface import ToolBrokenError, ToolFailedError
from agentlab_ci.tools.wording import did_you_mean

SECONDS = 0.25
"""An honest check ends in a hundredth of this; what takes longer backtracks or refers without end."""
MOST_UNEVALUATED = 1000
"""Items or properties; jsonschema looks for each of them in a list of those that other keywords have evaluated."""
_FRAMES_LEFT = 200
"""A recursion ends so many frames before Python's limit: at the limit itself jsonschema's Rust part panics."""

Keyword = Callable[..., Iterator[ValidationError] | None]
"""Validator, the keyword's value, the instance and the schema in; what is wrong out."""


class BoundedValidator:
    """A schema whose checks end, one at a time. Raises ToolBrokenError for a schema that cannot be bounded."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        written = json.dumps(schema)
        if '"unevaluatedProperties"' in written and '"patternProperties"' in written:
            # jsonschema matches the names by itself then, for as long as it takes.
            raise ToolBrokenError("`input_schema` cannot have both unevaluatedProperties and patternProperties")
        self._deadline = 0.0
        # An empty registry fetches nothing that a `$ref` points to.
        self._validator = self._class_for(schema)(without_dialects(schema), registry=Registry())

    def find_faults(self, value: Mapping[str, Any]) -> Iterator[ValidationError]:
        """Yield what is wrong with the value.

        Raises TimeoutError after a quarter of a second, ToolFailedError for what would take as long,
        RecursionError, and referencing's Unresolvable.
        """
        self._deadline = time.monotonic() + SECONDS
        yield from self._validator.iter_errors(value)

    def _class_for(self, schema: Mapping[str, Any]) -> Any:
        dialect = validator_for(schema, default=Draft202012Validator)
        own: dict[str, Keyword] = {
            "pattern": self._pattern,
            "patternProperties": self._pattern_properties,
            "additionalProperties": self._additional_properties,
            "uniqueItems": self._unique_items,
        }
        theirs: Mapping[str, Any] = dialect.VALIDATORS
        for name in ("unevaluatedItems", "unevaluatedProperties"):
            if name in theirs:
                own[name] = _for_few(name, theirs[name])
        bounded = {name: self._in_time(keyword) for name, keyword in {**theirs, **own}.items()}
        validator: Any = extend(dialect, bounded)  # type: ignore[no-untyped-call]  # its stub is bare
        # A keyword goes through all items with these, and an empty schema has no keyword that looks at the clock.
        for step in ("descend", "iter_errors"):
            setattr(validator, step, self._in_time(getattr(validator, step)))
        return validator

    def _in_time(self, find: Keyword) -> Keyword:
        def check(*args: Any, **options: Any) -> Iterator[ValidationError]:
            self._seconds_left()
            yield from find(*args, **options) or ()

        return check

    def _seconds_left(self) -> float:
        """Return what is left of the time. Raises TimeoutError, and RecursionError where the stack gets full."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if _is_deep(sys.getrecursionlimit() - _FRAMES_LEFT):
            raise RecursionError
        return left

    def _matches(self, pattern: str, text: str) -> bool:
        # Python's own `re` cannot be stopped.
        return regex.search(pattern, text, timeout=self._seconds_left()) is not None

    def _pattern(
        self, validator: Any, pattern: Any, value: Any, _: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if validator.is_type(value, "string") and not self._matches(pattern, value):
            yield ValidationError(f"{value!r} does not match {pattern!r}")

    def _pattern_properties(
        self, validator: Any, patterns: Any, value: Any, _: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if not validator.is_type(value, "object"):
            return
        for pattern, inner in patterns.items():
            for name, item in value.items():
                if self._matches(pattern, name):
                    yield from validator.descend(item, inner, path=name, schema_path=pattern)

    def _additional_properties(
        self, validator: Any, inner: Any, value: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if not validator.is_type(value, "object"):
            return
        names, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name in value:
            if name in names or any(self._matches(pattern, name) for pattern in patterns):
                continue
            if inner is False:
                yield ValidationError(f"`{name}` is unknown{did_you_mean(name, names)}")
            else:
                yield from validator.descend(value[name], inner, path=name)

    def _unique_items(
        self, validator: Any, wanted: Any, value: Any, _: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if not wanted or not validator.is_type(value, "array"):
            return
        seen = set()
        for index, item in enumerate(value):
            key = self._key_of(item)
            if key in seen:
                yield ValidationError(f"item {index} is equal to one before it")
                return
            seen.add(key)

    def _key_of(self, value: Any) -> Hashable:
        """Return what is equal for data that is equal in JSON, where 1 is 1.0 and not true."""
        self._seconds_left()
        if isinstance(value, Mapping):
            return frozenset((name, self._key_of(item)) for name, item in value.items())
        if isinstance(value, list | tuple):
            return tuple(self._key_of(item) for item in value)
        return (bool, value) if isinstance(value, bool) else value


def _for_few(name: str, keyword: Keyword) -> Keyword:
    def check(
        validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError] | None:
        if isinstance(value, list | Mapping) and len(value) > MOST_UNEVALUATED:
            many = f"{len(value)} are too many to hold against `{name}`; it takes {MOST_UNEVALUATED}"
            raise ToolFailedError(f"invalid input: {many}")
        return keyword(validator, wanted, value, schema)

    return check


def _is_deep(frames: int) -> bool:
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True


def without_dialects(schema: Any) -> Any:
    """Return the schema without any `$schema`, at which jsonschema would go on with validators of its own."""
    if isinstance(schema, Mapping):
        return {
            key: without_dialects(value)
            for key, value in schema.items()
            if key != "$schema" or not isinstance(value, str)
        }
    return [without_dialects(item) for item in schema] if isinstance(schema, list | tuple) else schema
