"""The names in a config: each once, and those that one part uses of another are there."""

from collections.abc import Iterable, Iterator

from agentlab_ci.loading.config_parts import items_of, texts_of
from agentlab_ci.loading.wording import did_you_mean, quoted
from agentlab_ci.loading.yaml_source import Document, Loc
from agentlab_ci.tools.registry import BUILTIN_TOOLS

Finding = tuple[Loc, str]
"""A way into the config, and what is wrong there."""


def find_wrong_names(document: Document) -> Iterator[Finding]:
    """Yield each name that stands twice, and each use of an agent or a tool that there is not."""
    top = [((), document.data)]
    for section in ("agents", "tools", "variant_sets", "runtime_profiles", "suite_definitions"):
        yield from _repeated(document, texts_of(items_of(top, section), "name"))
    for variant_set in items_of(top, "variant_sets"):
        yield from _repeated(document, texts_of(items_of([variant_set], "variants"), "label"))
    agents = [name for _, name in texts_of(items_of(top, "agents"), "name")]
    yield from _unknown("agent", texts_of(items_of(top, "variant_sets", "variants"), "agent"), agents)
    tools = [name for _, name in texts_of(items_of(top, "tools"), "name")]
    faults = texts_of(items_of(top, "runtime_profiles", "tool_faults"), "tool")
    yield from _unknown("tool", faults, [*tools, *BUILTIN_TOOLS])
    for loc, name in texts_of(items_of(top, "tools"), "name"):
        if name in BUILTIN_TOOLS:
            yield loc, f"{quoted(name)} is the name of a built-in tool: choose another one"


def _repeated(document: Document, names: Iterable[tuple[Loc, str]]) -> Iterator[Finding]:
    first: dict[str, Loc] = {}
    for loc, name in names:
        if name in first:
            yield loc, f"{quoted(name)} stands here twice, first in line {document.place(first[name]).line}"
        first.setdefault(name, loc)


def _unknown(what: str, uses: Iterable[tuple[Loc, str]], known: list[str]) -> Iterator[Finding]:
    for loc, name in uses:
        if name not in known:
            yield loc, f"no {what} is called {quoted(name)}{did_you_mean(name, known)}"
