"""Names of tools as OpenAI's protocol can carry them. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count

LONGEST = 64
_ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")


def make_allowed(name: str) -> str:
    """Return the name if the protocol allows it, else the nearest that it does; not empty."""
    return name if _ALLOWED.fullmatch(name) else _OTHER.sub("_", name)[:LONGEST]


def name_functions(tools: Iterable[str]) -> dict[str, str]:
    """Return the tools by the name that the model is told, in their order.

    A name that the protocol allows stays as it is. In any other each character that it does not allow becomes `_`,
    and a number is added where the outcome is another tool's name already.
    """
    wanted = tuple(tools)
    kept = {tool for tool in wanted if make_allowed(tool) == tool}
    functions: dict[str, str] = {}
    for tool in wanted:
        function = tool if tool in kept else _find_free(make_allowed(tool), kept | functions.keys())
        functions[function] = tool
    return functions


def read_functions(functions: Mapping[str, str], untold: Iterable[str]) -> dict[str, str]:
    """Return the tools by the names that a model may call them by: those it is told of, and those it is not.

    `functions` are the former, and win where one of the latter would bear the same name.
    """
    return {make_allowed(tool): tool for tool in reversed(tuple(untold))} | dict(functions)


def _find_free(name: str, taken: Collection[str]) -> str:
    endings = chain([""], (f"_{number}" for number in count(2)))
    candidates = (name[: LONGEST - len(ending)] + ending for ending in endings)
    return next(candidate for candidate in candidates if candidate not in taken)
