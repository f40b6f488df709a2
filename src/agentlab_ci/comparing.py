"""The story of a comparison: find two runs or two batches, compare them, and say what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import assert_never

from agentlab_ci.app import Outcome, World
from agentlab_ci.core.compare_batches import BatchComparison, compare_batches
from agentlab_ci.core.compare_runs import Change, RunComparison, RunView, compare_runs
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.stored import BatchRef, Reference, RunRef
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.reports.compare_formats import show_batch_comparison, show_run_comparison
from agentlab_ci.reports.escape import for_log
from agentlab_ci.results_file import read_results_file
from agentlab_ci.store.approvals import list_approvals
from agentlab_ci.store.reader import load_report, load_run
from agentlab_ci.store.references import find_reference

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: what the user called it, and what it is. A run is told from a batch by its type."""

    name: str
    results: RunView | RunReport
    scenario_id: str | None = None
    """Of a batch: the only scenario that is meant."""


def compare_two(old: str, new: str, world: World, *, database: Path, output: CompareFormat) -> Outcome:
    """Compare two runs or two batches: stored ones by id, `@last` or `@prev`, or files of results.

    Exit code 1 when something regressed. Raises BadInputError for what is not there, for a run and a batch, for
    runs of different scenarios, and for batches without a scenario in common.
    """
    return _conclude(_find(old, world, database), _find(new, world, database), world, output)


def compare_stored(old: str, new: str, *, database: Path) -> RunComparison | BatchComparison:
    """Compare what is stored, by id, `@last` or `@prev`, and read no file; raises as `compare_two` does."""
    return _compare(*(_load(text, find_reference(database, text), database) for text in (old, new)))


def compare_suites(old: str, new: str, world: World, *, database: Path, output: CompareFormat) -> Outcome:
    """Compare two batches of the same scenarios; raises BadInputError, which names both, when they are not."""
    sides = _find(old, world, database), _find(new, world, database)
    for side in sides:
        if isinstance(side.results, RunView):
            raise BadInputError(f"{side.name} is a run: --suite compares two batches")
    _refuse_other_selection(*sides)
    return _conclude(*sides, world, output)


def compare_with_baseline(
    scenario_id: str, new: str, world: World, *, database: Path, output: CompareFormat
) -> Outcome:
    """Compare a run or a batch with what was approved last of this scenario; raises as `compare_two` does."""
    approvals = list_approvals(database, scenario_id=scenario_id)
    if not approvals:
        raise BadInputError(
            f"no baseline of {scenario_id} is approved in {database}: `agentlab approve RUN|BATCH` approves one"
        )
    candidate = _find(new, world, database)
    baselines = (_load_baseline(approval.reference, scenario_id, database) for approval in approvals)
    newest = next(baselines)
    old = next((side for side in chain([newest], baselines) if _are_alike(side, candidate, scenario_id)), newest)
    return _conclude(old, replace(candidate, scenario_id=scenario_id), world, output)


def _load_baseline(reference: Reference, scenario_id: str, database: Path) -> Side:
    side = _load(f"the baseline of {scenario_id}, {_id_of(reference)}", reference, database)
    return replace(side, scenario_id=scenario_id)


def _are_alike(old: Side, new: Side, scenario_id: str) -> bool:
    """Tell whether both are runs, or batches that have the scenario in common, under the same variant."""
    if isinstance(old.results, RunReport) and isinstance(new.results, RunReport):
        before, after = (_only(report, scenario_id).scenarios for report in (old.results, new.results))
        return bool({row.key for row in before} & {row.key for row in after})
    return isinstance(old.results, RunView) and isinstance(new.results, RunView)


def _find(text: str, world: World, database: Path) -> Side:
    if not text.startswith("@") and (text.endswith(".json") or (world.cwd / text).is_file()):
        # Judged again: what a file says of its verdicts need not follow from its samples.
        return Side(name=text, results=regate(read_results_file(world.cwd, text)))
    return _load(text, find_reference(database, text), database)


def _load(name: str, reference: Reference, database: Path) -> Side:
    match reference:
        case RunRef(run_id=run_id):
            stored = load_run(database, run_id)
            if stored.row is None:
                raise BadInputError(
                    f"{name} is a run of {reference.batch_id}, which did not end: its scenario is not stored"
                )
            return Side(name=name, results=RunView(scenario=stored.row, run=stored.sample))
        case BatchRef(batch_id=batch_id, scenario_id=scenario_id):
            return Side(name=name, results=load_report(database, batch_id), scenario_id=scenario_id)
        case _:
            assert_never(reference)


def _id_of(reference: Reference) -> str:
    return reference.run_id if isinstance(reference, RunRef) else reference.batch_id


def _conclude(old: Side, new: Side, world: World, output: CompareFormat) -> Outcome:
    comparison = _compare(old, new)
    glyphs = world.log_style.glyphs
    if isinstance(comparison, RunComparison):
        _print(show_run_comparison(comparison, output, glyphs), world)
        regressed = comparison.change is Change.REGRESSED
        compared = comparison.change is not Change.NOT_COMPARABLE
    else:
        _print(show_batch_comparison(comparison, output, glyphs), world)
        regressed = comparison.has_regressed
        compared = comparison.counts[Change.NOT_COMPARABLE] < len(comparison.rows)
    if regressed:
        return Outcome(exit_code=ExitCode.BELOW_BAR)
    return Outcome(exit_code=ExitCode.OK if compared else ExitCode.BAD_INPUT)


def _compare(old: Side, new: Side) -> RunComparison | BatchComparison:
    before, after = old.results, new.results
    if isinstance(before, RunView) and isinstance(after, RunView):
        if before.scenario.scenario_id != after.scenario.scenario_id:
            raise BadInputError(
                f"{old.name} is a run of {before.scenario.scenario_id}, and {new.name} one of "
                f"{after.scenario.scenario_id}: compare runs of the same scenario"
            )
        return compare_runs(before, after)
    if isinstance(before, RunReport) and isinstance(after, RunReport):
        return compare_batches(*_narrow(old, before, new, after))
    run, batch = (old, new) if isinstance(before, RunView) else (new, old)
    raise BadInputError(f"{run.name} is a run, and {batch.name} a batch: compare two runs, or two batches")


def _narrow(old: Side, before: RunReport, new: Side, after: RunReport) -> tuple[RunReport, RunReport]:
    """Return the batches with only the scenario that either side is about; they have one in common at least."""
    for scenario_id in (old.scenario_id, new.scenario_id):
        if scenario_id is not None:
            before, after = _only(before, scenario_id), _only(after, scenario_id)
    if not {row.key for row in before.scenarios} & {row.key for row in after.scenarios}:
        raise BadInputError(
            f"{old.name} and {new.name} have no scenario in common: {_name_scenarios(before)} in the one, "
            f"{_name_scenarios(after)} in the other"
        )
    return before, after


def _only(report: RunReport, scenario_id: str) -> RunReport:
    rows = tuple(row for row in report.scenarios if row.scenario_id == scenario_id)
    return report.model_copy(update={"scenarios": rows})


def _refuse_other_selection(old: Side, new: Side) -> None:
    before, after = (_selected(side) for side in (old, new))
    parts = [
        f"only in {side.name}: {_list(title for title in mine if title not in other)}"
        for side, mine, other in ((old, before, after), (new, after, before))
        if mine.keys() - other.keys()
    ]
    if parts:
        raise BadInputError(
            f"{old.name} and {new.name} are not of the same selection; {'; '.join(parts)}\n"
            "without --suite they are compared as far as they go"
        )


def _selected(side: Side) -> dict[str, None]:
    """Return the titles of the rows, in order."""
    if isinstance(side.results, RunView):
        return {}
    return {row.title: None for row in side.results.scenarios if side.scenario_id in (None, row.scenario_id)}


def _name_scenarios(report: RunReport) -> str:
    return _list(row.title for row in report.scenarios)


def _list(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    return (", ".join(listed[:_MOST_NAMED]) or "none") + (f" and {more} more" if more > 0 else "")


def _print(lines: Iterable[str], world: World) -> None:
    for line in lines:
        world.console.out(for_log(line))
