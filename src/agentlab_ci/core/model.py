"""The base of everything that crosses disk or wire, and the strict scalars it is made of."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    Strict,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from agentlab_ci.core.sampling import PassRate

Text = Annotated[str, Strict()]
"""Any text; a YAML `no` or `12` is refused rather than turned into text."""
Name = Annotated[str, Strict(), StringConstraints(min_length=1)]
"""Text that is not empty."""
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
"""A float or an int; never a bool, never text."""
Flag = Annotated[bool, Strict()]
Json = Mapping[str, Any]
"""A JSON object as plain data."""


class Model(BaseModel):
    """Frozen data that knows all its keys: an unknown one is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class CamelModel(Model):
    """Takes the camelCase form of its keys too, which files of other tools use."""

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        known = {camel_case(name): name for name in cls.model_fields}
        return {key if known.get(key) in data else known.get(key, key): value for key, value in data.items()}


def camel_case(name: str) -> str:
    """Turn `module_path` into `modulePath`."""
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)


def _read_rate(value: object) -> object:
    if isinstance(value, float | int) and not isinstance(value, bool):
        # A float's repr is what was typed, up to 15 digits.
        return PassRate(format(Decimal(repr(value)), "f"))
    if isinstance(value, str):
        return PassRate(value)
    if isinstance(value, PassRate):
        return value
    raise PydanticCustomError("pass_rate_type", "a pass rate is a decimal above 0 and at most 1, such as 0.75")


Rate = Annotated[
    PassRate,
    BeforeValidator(_read_rate),
    PlainSerializer(str),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
]
"""A pass rate; a float is read by its repr, which is what was typed up to 15 digits."""
