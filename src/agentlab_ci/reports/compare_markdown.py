"""A comparison as Markdown, for a step summary or a comment that somebody else posts."""

from collections.abc import Iterable, Iterator

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison
from agentlab_ci.core.compare_runs import Change, RunComparison
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
from agentlab_ci.reports.escape import code_element, code_span, fenced, table_cell
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME

_HEAD = "| | Scenario | Change | Passed | p |\n|:-:|:--|:--|:--|:--|"
_LONGEST_NOTE = 300


def batch_comparison_page(comparison: BatchComparison) -> str:
    """Return the page: the sentence, the counts, a table, and a fold for each scenario with notes or a diff."""
    sentence = conclude_batches(comparison, EMOJI, lambda name: code_span(cut(name, LONGEST_NAME)))
    shown = choose_examples(comparison)
    table = "\n".join([_HEAD, *(_table_row(row) for row in comparison.rows)])
    blocks = [
        f"## {icon_of(worst_change(comparison), EMOJI)} {sentence}",
        f"{count_changes(comparison)}, of {_describe(comparison.old)} and {_describe(comparison.new)}",
        table,
        *(_fold(row, with_example=row.key in shown) for row in comparison.rows if _has_fold(row)),
        *tell_hidden(comparison, shown),
    ]
    return "\n\n".join(blocks) + "\n"


def run_comparison_page(comparison: RunComparison) -> str:
    """Return the page: the class, the two runs, what changed and the diffs."""
    icon = icon_of(comparison.change, EMOJI)
    runs = f"{code_span(name_run(comparison.old))} and {code_span(name_run(comparison.new))}"
    of = code_span(cut(comparison.new.scenario.title, LONGEST_NAME))
    blocks = [f"## {icon} {conclude_runs(comparison)}", f"{runs} of {of}", *_tell_run(comparison)]
    return "\n\n".join(blocks) + "\n"


def _describe(report: RunReport) -> str:
    return code_span(cut(report.batch_id, LONGEST_NAME))


def _table_row(row: RowComparison) -> str:
    name = table_cell(cut(name_key(row.key, EMOJI), LONGEST_NAME))
    change = row.change.value
    return f"| {icon_of(row.change, EMOJI)} | {name} | {change} | {tell_passes(row)} | {tell_p(row)} |"


def _has_fold(row: RowComparison) -> bool:
    return row.example is not None or any(row_notes(row))


def _fold(row: RowComparison, *, with_example: bool) -> str:
    name = code_element(cut(name_key(row.key, EMOJI), LONGEST_NAME))
    opened = " open" if row.change is Change.REGRESSED else ""
    blocks = [f"<details{opened}><summary>{icon_of(row.change, EMOJI)} {name} {row.change.value}</summary>"]
    blocks += _bullets(row_notes(row))
    if row.example is not None and with_example:
        blocks.append(f"{code_span(name_run(row.example.old))} and {code_span(name_run(row.example.new))}:")
        blocks += _tell_run(row.example)
    return "\n\n".join([*blocks, "</details>"])


def _tell_run(run: RunComparison) -> Iterator[str]:
    yield from _bullets(run_notes(run))
    for name, lines in diffs(run.behaviour):
        yield f"**{name}**"
        yield fenced("\n".join(lines), "diff")


def _bullets(notes: Iterable[str]) -> list[str]:
    lines = [f"- {code_span(cut(note, _LONGEST_NOTE))}" for note in notes]
    return ["\n".join(lines)] if lines else []
