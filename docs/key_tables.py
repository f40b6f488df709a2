"""Markdown tables of keys, from the JSON schemas of the models that read them."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]


def part_sections(parts: Mapping[str, Schema]) -> Iterator[str]:
    """Yield a section for each mapping that stands inside another; `parts` is a schema's `$defs`."""
    for name, part in sorted(parts.items()):
        if "properties" in part:
            yield f"\n## {_shown(name)}\n\n{part['description']}\n"
            yield from key_table(part)


def key_table(schema: Schema) -> Iterator[str]:
    """Yield a table row for each key of a schema: its values, its default, what it is."""
    yield "| key | value | default | |"
    yield "|---|---|---|---|"
    for key, field in schema["properties"].items():
        required = key in schema.get("required", ())
        default = "required" if required else _default(field.get("default"))
        yield f"| `{key}` | {_value(field)} | {default} | {field.get('description', '')} |"


def _default(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if isinstance(value, int | float | str) and value != "" else ""


def _value(field: Schema) -> str:
    """Say in words which values a JSON schema takes."""
    if "$ref" in field:
        name = _shown(field["$ref"].rpartition("/")[2])
        return f"[{name}](#{name.lower().replace(' ', '-')})"
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join(f"`{choice}`" for choice in field["enum"])
    for joined in ("anyOf", "oneOf"):
        if joined in field:
            return " or ".join(_value(choice) for choice in field[joined] if choice.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_value(field['items'])}" if field.get("items") else "list"
    return _PLAIN.get(field.get("type", ""), "any") + _bounds(field)


_PLAIN = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "object": "mapping",
}


def _bounds(field: Schema) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
    return "".join(f", {word} {field[key]:g}" for key, word in words.items() if key in field)


def _shown(name: str) -> str:
    """Turn a model's name into words: `OpenAIAgent` -> `OpenAI agent`."""
    words = name.replace("OpenAI", "Openai").removesuffix("Part")
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in words).strip()
    return spaced.replace("openai", "OpenAI").replace("http ", "HTTP ")
