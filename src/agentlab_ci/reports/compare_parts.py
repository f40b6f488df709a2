"""What every format of a comparison shows in the same way: icons, names, and which diffs there is room for."""

from collections.abc import Iterator, Sequence

from agentlab_ci.core.behaviour import BehaviourDiff
from agentlab_ci.core.compare_batches import BatchComparison
from agentlab_ci.core.compare_runs import Change
from agentlab_ci.core.results import RowKey
from agentlab_ci.core.text import plural
from agentlab_ci.reports.formatting import Glyphs

MOST_EXAMPLES = 10
"""Of scenarios that did not regress, how many are shown with a diff."""
_MOST_REGRESSED = 50


def name_key(key: RowKey, glyphs: Glyphs) -> str:
    """Name a scenario, with the output's own sign before its variant."""
    variant, scenario_id = key
    return scenario_id if variant is None else f"{scenario_id} {glyphs.dot} {variant}"


def choose_examples(comparison: BatchComparison) -> set[RowKey]:
    """Choose whose diffs are shown: regressions first of all."""
    told = [row for row in comparison.rows if row.example is not None]
    regressed = [row.key for row in told if row.change is Change.REGRESSED]
    others = [row.key for row in told if row.change is not Change.REGRESSED]
    return {*regressed[:_MOST_REGRESSED], *others[:MOST_EXAMPLES]}


def tell_hidden(comparison: BatchComparison, shown: set[RowKey]) -> list[str]:
    """Return a line that counts the scenarios whose diffs are not shown, if there are any."""
    hidden = sum(row.example is not None for row in comparison.rows) - len(shown)
    return (
        [f"{plural(hidden, 'more scenario')} with differences: `--format json` has all of them"] if hidden else []
    )


def diffs(behaviour: BehaviourDiff) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what differs, by its name, and the lines of the diff."""
    for name, lines in (
        ("turns", behaviour.turns),
        ("tool calls", behaviour.tool_calls),
        ("final output", behaviour.output),
    ):
        if lines:
            yield name, lines


def worst_change(comparison: BatchComparison) -> Change:
    """Return what stands for the whole: a regression, else that something could be compared, or nothing could."""
    if comparison.has_regressed:
        return Change.REGRESSED
    compared = any(row.change is not Change.NOT_COMPARABLE for row in comparison.rows)
    return Change.UNCHANGED_PASS if compared else Change.NOT_COMPARABLE


def icon_of(change: Change, glyphs: Glyphs) -> str:
    """Return the icon of a change."""
    match change:
        case Change.REGRESSED:
            return glyphs.failed
        case Change.IMPROVED | Change.UNCHANGED_PASS:
            return glyphs.passed
        case Change.UNCHANGED_FAIL:
            return glyphs.dash
        case Change.CHANGED_NON_TERMINAL:
            return glyphs.error
        case Change.NOT_COMPARABLE:
            return glyphs.skipped
