"""jsonschema with a deadline: no pattern, reference or combination of a schema can hold the run."""

import difflib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import regex
from jsonschema import ValidationError
from jsonschema.validators import Draft202012Validator, extend, validator_for
from referencing import Registry

from agentlab_ci.tools.interface import ToolBrokenError

SECONDS = 0.25
"""An honest check ends in a hundredth of this; what takes longer backtracks or refers without end."""
_FRAMES_LEFT = 200
"""A recursion ends so many frames before Python's limit: at the limit itself jsonschema's Rust part panics."""

Keyword = Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[ValidationError] | None]
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
        self._validator = self._class_for(schema)(_without_dialects(schema), registry=Registry())

    def find_faults(self, value: Mapping[str, Any]) -> Iterator[ValidationError]:
        """Yield what is wrong with the value.

        Raises TimeoutError after a quarter of a second, RecursionError, and referencing's Unresolvable.
        """
        self._deadline = time.monotonic() + SECONDS
        yield from self._validator.iter_errors(value)

    def _class_for(self, schema: Mapping[str, Any]) -> Any:
        dialect = validator_for(schema, default=Draft202012Validator)
        own: dict[str, Keyword] = {
            "pattern": self._pattern,
            "patternProperties": self._pattern_properties,
            "additionalProperties": self._additional_properties,
        }
        theirs: Mapping[str, Any] = dialect.VALIDATORS
        bounded = {name: self._in_time(keyword) for name, keyword in {**theirs, **own}.items()}
        return extend(dialect, bounded)  # type: ignore[no-untyped-call]  # its stub is bare

    def _in_time(self, keyword: Keyword) -> Keyword:
        def check(validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
            self._seconds_left()
            yield from keyword(validator, wanted, value, schema) or ()

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
                yield ValidationError(f"`{name}` is unknown{_name_valid(name, list(names))}")
            else:
                yield from validator.descend(value[name], inner, path=name)


def _is_deep(frames: int) -> bool:
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True


def _without_dialects(schema: Any) -> Any:
    """Return the schema without any `$schema`, at which jsonschema would go on with validators of its own."""
    if isinstance(schema, Mapping):
        return {
            key: _without_dialects(value)
            for key, value in schema.items()
            if key != "$schema" or not isinstance(value, str)
        }
    return [_without_dialects(item) for item in schema] if isinstance(schema, list | tuple) else schema


def _name_valid(name: str, names: list[str]) -> str:
    nearest = difflib.get_close_matches(name, names, n=1)
    if nearest:
        return f"; did you mean `{nearest[0]}`?"
    return f"; there is {', '.join(f'`{name}`' for name in names)}" if names else "; there is none"
