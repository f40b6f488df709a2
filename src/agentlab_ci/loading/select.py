"""Which of the project's scenarios are meant. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from agentlab_ci.core.config import Config, Include, SuiteDefinition
from agentlab_ci.core.scenario import Scenario
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.wording import did_you_mean, listed, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was asked for; nothing is everything. Ids may be globs. Several ids, and several tags, are OR."""

    ids: tuple[str, ...] = ()
    suite: str | None = None
    suite_def: str | None = None
    tags: tuple[str, ...] = ()


def select_scenarios(scenarios: Sequence[Scenario], config: Config, selection: Selection) -> tuple[Scenario, ...]:
    """Return, in their order, the scenarios that every one of the asked selectors picks.

    Raises BadInputError for an unknown id, suite, tag or suite definition, and when nothing is left.
    """
    wrong = list(_unknown(scenarios, config, selection))
    if wrong:
        raise BadInputError("\n".join(wrong))
    definition = next((d for d in config.suite_definitions if d.name == selection.suite_def), None)
    chosen = tuple(
        s for s in scenarios if _is_asked(s, selection) and (definition is None or picks(definition, s))
    )
    if not chosen:
        raise BadInputError(f"no scenario matches {_asked(selection)}; there is {listed(s.id for s in scenarios)}")
    return chosen


def picks(definition: SuiteDefinition, scenario: Scenario) -> bool:
    """Tell whether a suite definition picks the scenario: any selector of `include`, and none of `exclude`."""
    return _matches(definition.include, scenario) and not _matches(definition.exclude, scenario)


def is_glob(text: str) -> bool:
    """Tell whether an id is a pattern; no real id holds one of these characters."""
    return any(character in text for character in "*?[")


def _matches(selectors: Include, scenario: Scenario) -> bool:
    return (
        not set(selectors.tags).isdisjoint(scenario.tags)
        or scenario.suite in selectors.suites
        or any(fnmatchcase(scenario.id, pattern) for pattern in selectors.scenarios)
    )


def _is_asked(scenario: Scenario, selection: Selection) -> bool:
    return (
        (not selection.ids or any(fnmatchcase(scenario.id, pattern) for pattern in selection.ids))
        and selection.suite in (None, scenario.suite)
        and (not selection.tags or not set(selection.tags).isdisjoint(scenario.tags))
    )


def _unknown(scenarios: Sequence[Scenario], config: Config, selection: Selection) -> Iterator[str]:
    ids = [scenario.id for scenario in scenarios]
    for pattern in selection.ids:
        if not any(fnmatchcase(id_, pattern) for id_ in ids):
            what = "matches" if is_glob(pattern) else "is called"
            yield f"no scenario {what} {quoted(pattern)}{did_you_mean(pattern, ids)}"
    suites = [scenario.suite for scenario in scenarios]
    if selection.suite is not None:
        yield from _not_in("suite", selection.suite, suites)
    if selection.suite_def is not None:
        yield from _not_in("suite definition", selection.suite_def, [d.name for d in config.suite_definitions])
    for tag in selection.tags:
        yield from _not_in("tag", tag, sorted({tag for scenario in scenarios for tag in scenario.tags}))


def _not_in(what: str, name: str, known: Iterable[str]) -> Iterator[str]:
    names = list(known)
    if name not in names:
        yield f"there is no {what} {quoted(name)}{did_you_mean(name, names)}"


def _asked(selection: Selection) -> str:
    asked = [
        ("", listed(selection.ids)),
        ("suite ", listed(filter(None, [selection.suite]))),
        ("suite definition ", listed(filter(None, [selection.suite_def]))),
        ("tag ", listed(selection.tags)),
    ]
    return " and ".join(label + names for label, names in asked if names)
