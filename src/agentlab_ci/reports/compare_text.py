"""A comparison for a terminal or a CI log: 80 columns where ids and messages allow, no colours, all of it safe."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison
from agentlab_ci.core.compare_runs import Change, RunComparison, RunView
from agentlab_ci.core.results import RunReport
from agentlab_ci.reports.compare_parts import choose_examples, diffs, icon_of, name_key, tell_hidden, worst_change
from agentlab_ci.reports.compare_wording import (
    conclude_batches,
    conclude_runs,
    count_changes,
    name_run,
    row_notes,
    run_notes,
    tell_p,
    tell_passes,
)
from agentlab_ci.reports.escape import for_log, printable
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.redact import cut

_COLUMNS = 80
_LONGEST_TITLE = 34
_LONGEST_NOTE = 1000
_WORD = max(len(change.value) for change in Change if change is not Change.CHANGED_NON_TERMINAL)


def batch_comparison_lines(comparison: BatchComparison, glyphs: Glyphs) -> list[str]:
    """Return the whole: what is compared, a row for each scenario with what changed, counts, and the sentence.

    In the order of the new batch, vanished scenarios last.
    """
    width = min(
        _LONGEST_TITLE, max((len(printable(name_key(row.key, glyphs))) for row in comparison.rows), default=0)
    )
    shown = choose_examples(comparison)
    lines = [*_describe("old", comparison.old), *_describe("new", comparison.new)]
    for row in comparison.rows:
        lines.append(_row_line(row, glyphs, width))
        lines += _indent(row_notes(row), 6)
        if row.example is not None and row.key in shown:
            lines += _example_lines(row.example)
    lines += tell_hidden(comparison, shown)
    icon = icon_of(worst_change(comparison), glyphs)
    lines += [count_changes(comparison), f"{icon} {conclude_batches(comparison, glyphs, str)}"]
    return [for_log(line) for line in lines]


def run_comparison_lines(comparison: RunComparison, glyphs: Glyphs) -> list[str]:
    """Return the whole: the two runs, what changed, their diffs, and the class at the end."""
    lines = [*_describe_run("old", comparison.old, glyphs), *_describe_run("new", comparison.new, glyphs)]
    lines += _run_lines(comparison, indent=2)
    if not comparison.behaviour:
        lines.append("  said and did the same")
    lines.append(f"{icon_of(comparison.change, glyphs)} {conclude_runs(comparison)}")
    return [for_log(line) for line in lines]


def _describe(side: str, report: RunReport) -> Iterator[str]:
    labels = dict.fromkeys(row.agent.label for row in report.scenarios if row.agent is not None)
    yield f"{side}: {report.batch_id}  {report.started_at}"
    yield from _indent([f"agent {', '.join(labels)}"] if labels else [], 5)


def _describe_run(side: str, view: RunView, glyphs: Glyphs) -> Iterator[str]:
    agent = "" if view.scenario.agent is None else f"agent {view.scenario.agent.label}"
    yield f"{side}: {name_run(view)}"
    yield from _indent(["  ".join(part for part in (name_key(view.scenario.key, glyphs), agent) if part)], 5)


def _row_line(row: RowComparison, glyphs: Glyphs, width: int) -> str:
    title = printable(name_key(row.key, glyphs))
    cells = [f"{icon_of(row.change, glyphs)} {row.change.value:<{_WORD}}", f"{title:<{width}}"]
    cells += [f"{tell_passes(row):<12}", tell_p(row)]
    return "  ".join(cells).rstrip()


def _example_lines(example: RunComparison) -> Iterator[str]:
    yield from _indent([f"{name_run(example.old)} -> {name_run(example.new)}:"], 6)
    yield from _run_lines(example, indent=8)


def _run_lines(run: RunComparison, *, indent: int) -> Iterator[str]:
    yield from _indent(run_notes(run), indent)
    for name, lines in diffs(run.behaviour):
        yield f"{' ' * indent}{name}:"
        yield from _wrap(lines, indent + 2)


def _wrap(lines: Iterable[str], indent: int) -> Iterator[str]:
    """Break lines of a diff at the last column; every piece bears the sign of its line."""
    width = _COLUMNS - indent - 2
    for line in lines:
        sign, text = line[0], printable(line[1:])
        for start in range(0, max(1, len(text)), width):
            yield f"{' ' * indent}{sign} {text[start : start + width]}".rstrip()


def _indent(notes: Iterable[str], indent: int) -> Iterator[str]:
    """Break notes between words at the last column; what goes on stands further in."""
    for note in notes:
        yield from wrap(
            printable(cut(note, _LONGEST_NOTE)),
            width=_COLUMNS,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
