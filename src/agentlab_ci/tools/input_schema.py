"""Holding what an agent gives a tool against the tool's schema, in bounded time."""

from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from agentlab_ci.tools.interface import ToolBrokenError, ToolFailedError

if TYPE_CHECKING:
    from agentlab_ci.tools.bounded_validator import BoundedValidator

MOST_FAULTS = 5
_SPEAKS_OF_OTHERS = frozenset(
    {"additionalProperties", "unevaluatedProperties", "patternProperties"}
    | {"allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"}
)
"""With one of these a schema says, or may say, which further properties it takes."""


def closed(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema, which takes no further properties where it names some and says nothing of others."""
    if "properties" not in schema or _SPEAKS_OF_OTHERS & schema.keys():
        return schema
    return {**schema, "additionalProperties": False}


def find_schema_faults(schema: Mapping[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    """Return what is wrong with a schema whatever the input, each with the keys that lead there, () for the whole.

    First what the schema's own dialect refuses, and only if that is nothing the references that lead nowhere or to
    no schema.
    """
    from agentlab_ci.tools import schema_faults  # noqa: PLC0415 - imports jsonschema

    wrong = schema_faults.why_no_schema(schema)
    if wrong is not None:
        return [((), f"is not a JSON schema: {wrong}")]
    return list(schema_faults.find_wrong_parts(schema))


class InputSchema:
    """A tool's schema, made ready once for a run and only when the tool is called."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema

    def check(self, value: Mapping[str, Any]) -> None:
        """Accept an input that is plain JSON data.

        Raises ToolFailedError that tells the agent what is wrong, and ToolBrokenError for a schema that cannot be
        used.
        """
        import regex  # noqa: PLC0415 - as jsonschema, with which referencing comes: together they take 0.1 s
        from referencing.exceptions import Unresolvable  # noqa: PLC0415

        try:
            faults = [_describe(error) for error in islice(self._validator.find_faults(value), MOST_FAULTS)]
        except TimeoutError:
            raise ToolFailedError("invalid input: it took too long to check it against the input schema") from None
        except RecursionError:
            raise ToolFailedError("invalid input: checking it against the input schema has no end") from None
        except Unresolvable as problem:
            missing = getattr(problem, "ref", problem)
            raise ToolBrokenError(f"`input_schema` refers to {missing}, which it does not hold") from None
        except (ValueError, regex.error) as problem:
            raise ToolBrokenError(f"`input_schema` has an address or a pattern that is none: {problem}") from None
        except OverflowError:
            raise ToolFailedError(
                "invalid input: a number is too large to hold it against the input schema"
            ) from None
        except (ToolFailedError, ToolBrokenError):
            raise
        except Exception as problem:  # noqa: BLE001 - jsonschema trusts that what a `$ref` leads to is a schema
            why = f"{type(problem).__name__}: {problem}".partition("\n")[0]
            raise ToolBrokenError(f"`input_schema` cannot be held against an input: {why}") from None
        if faults:
            raise ToolFailedError(f"invalid input: {'; '.join(faults)}")

    @cached_property
    def _validator(self) -> "BoundedValidator":
        from agentlab_ci.tools.bounded_validator import BoundedValidator  # noqa: PLC0415 - imports jsonschema

        return BoundedValidator(self._schema)


def _describe(error: Any) -> str:
    way = ".".join(str(part) for part in error.absolute_path)
    return f"`{way}`: {error.message}" if way else str(error.message)
