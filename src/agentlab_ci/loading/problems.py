"""From pydantic's errors to problems: the right key's place, and words for people."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from agentlab_ci.core.text import plural
from agentlab_ci.errors import Problem
from agentlab_ci.loading.wording import did_you_mean, listed, quoted
from agentlab_ci.loading.yaml_source import Document, Loc

Details = Mapping[str, Any]
"""One of pydantic's errors: type, loc, msg, input, ctx."""


def explain(error: ValidationError, document: Document, model: type[BaseModel], base: Loc = ()) -> list[Problem]:
    """Return a problem for each error of validating the document's data at `base` with the model."""
    problems = []
    for details in filter(_is_news, error.errors(include_url=False)):
        loc = place_of(details, base)
        if details["type"] == "extra_forbidden":
            message = _unknown_key(str(loc[-1]), list(_models_at(model, details["loc"][:-1])))
            problems.append(document.problem(loc, message, where=loc[:-1]))
        else:
            problems.append(document.problem(loc, _message(details, document.written.get(loc))))
    return problems


def without_doubles(problems: Iterable[Problem], known: Iterable[Problem]) -> list[Problem]:
    """Return the problems that stand where none of the known ones does: one word on each place is enough."""
    places = {(problem.line, problem.column) for problem in known}
    return [problem for problem in problems if (problem.line, problem.column) not in places]


def place_of(details: Details, base: Loc = ()) -> Loc:
    """Return the way to the offending key in the data; for what is missing, to what lacks it."""
    loc: Loc = tuple(details["loc"])
    if loc[:1] == ("agents",) and len(loc) > 2:
        loc = loc[:2] + loc[3:]  # the third part is the union's tag, which is no key
    if details["type"] == "missing":
        loc = loc[:-1]
    elif details["type"] == "union_tag_invalid":
        loc = (*loc, "provider")
    return base + loc


def _is_news(details: Details) -> bool:
    """Leave out that a list is too short when it only is without the items that have problems of their own."""
    return details["type"] != "too_short" or bool(len(details["input"]) < details["ctx"]["min_length"])


def must_be_one_of(value: object, known: list[str]) -> str:
    """Return the message for a value that is none of a few words."""
    wrong = quoted(value) if isinstance(value, str) else _name_of(value)
    message = f"must be one of {listed(known)}, not {wrong}"
    nearest = did_you_mean(value, known) if isinstance(value, str) else ""
    return message + nearest if "did you mean" in nearest else message


def _unknown_key(key: str, models: list[type[BaseModel]]) -> str:
    for model in models:
        hint = getattr(model, "KEY_HINTS", {}).get(key)
        if hint is not None:
            return f"unknown key {quoted(key)}: {hint}"
    return (
        f"unknown key {quoted(key)}{did_you_mean(key, (name for model in models for name in model.model_fields))}"
    )


def _models_at(model: type[BaseModel], loc: Loc) -> Iterator[type[BaseModel]]:
    models = [model]
    for part in loc:
        if isinstance(part, int):
            continue
        fields = [m.model_fields[part] for m in models if part in m.model_fields]
        tagged = [m for m in models if part in get_args(_provider(m))]
        models = tagged or [inner for field in fields for inner in _models_in(field.annotation)]
    yield from models


def _provider(model: type[BaseModel]) -> object:
    field = model.model_fields.get("provider")
    return field.annotation if field is not None else None


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _message(details: Details, written: str | None) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "string_type":
        return _not_text(value, written)
    if kind in _WRONG_KIND:
        return f"{_WRONG_KIND[kind]}, not {_name_of(value, written)}"
    if kind in _WORDS:
        return _WORDS[kind](context, details)
    return str(details["msg"])


def _not_text(value: object, written: str | None) -> str:
    if isinstance(value, bool):
        return f"must be text; YAML reads {quoted(written)} as {str(value).lower()}: quote it"
    if isinstance(value, int | float):
        return f"must be text, not {_name_of(value, written)}: quote it"
    return f"must be text, not {_name_of(value)}"


def _name_of(value: object, written: str | None = None) -> str:
    if isinstance(value, bool):
        return f"true or false ({quoted(written or value)})"
    if isinstance(value, int | float):
        return f"the number {quoted(written or value)}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, list | tuple):
        return "a list"
    return "nothing" if value is None else "a mapping"


def _cut(value: object) -> str:
    return quoted(value)[1:-1]


_WRONG_KIND = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list (lines of `- …`)",
    "dict_type": "must be a mapping (lines of `key: value`)",
    "model_type": "must be a mapping (lines of `key: value`)",
    "model_attributes_type": "must be a mapping (lines of `key: value`)",
    "pass_rate_type": "must be a decimal above 0 and at most 1, such as 0.75",
}


def _missing(_: Details, details: Details) -> str:
    return f"{quoted(details['loc'][-1])} is required"


def _one_of(context: Details, details: Details) -> str:
    expected = str(context["expected"]).replace(" or ", ", ")
    return must_be_one_of(details["input"], [word.strip("'") for word in expected.split(", ")])


def _bad_tag(context: Details, details: Details) -> str:
    return must_be_one_of(details["input"]["provider"], _tags(context["expected_tags"]))


def _tags(expected: str) -> list[str]:
    return expected.split("'")[1::2]


_WORDS: dict[str, Callable[[Details, Details], str]] = {
    "missing": _missing,
    "literal_error": _one_of,
    "enum": _one_of,
    "union_tag_invalid": _bad_tag,
    "union_tag_not_found": lambda _, __: "`provider` is required",
    "value_error": lambda context, _: str(context["error"]),
    "string_too_short": lambda _, __: "must not be empty",
    "string_pattern_mismatch": lambda context, _: f"must look like the pattern {quoted(context['pattern'])}",
    "too_short": lambda context, _: f"must have at least {plural(context['min_length'], 'item')}",
    "greater_than": lambda context, details: f"must be above {context['gt']:.15g}, not {_cut(details['input'])}",
    "greater_than_equal": lambda context, details: (
        f"must be at least {context['ge']:.15g}, not {_cut(details['input'])}"
    ),
    "less_than": lambda context, details: f"must be below {context['lt']:.15g}, not {_cut(details['input'])}",
    "less_than_equal": lambda context, details: (
        f"must be at most {context['le']:.15g}, not {_cut(details['input'])}"
    ),
}
