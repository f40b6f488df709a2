"""The table of scenarios, as report.md, the PR comment and the step summary show it: one Markdown line each."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.baseline_wording import explain_state, name_state
from agentlab_ci.reports.comparison import tell_explained, tell_skipped
from agentlab_ci.reports.escape import table_cell
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.matrix import Line, Matrix, make_matrix, show_cell
from agentlab_ci.reports.reasons import explain_scenario
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.variants import DOES_NOT_GATE, VariantFacts
from agentlab_ci.reports.wording import count_passes, name_row, name_scenario, remarks

TABLE_HEAD = "| | Scenario | Samples | Passed | Why |\n|:-:|:--|:--|:--|:--|"
TABLE_HEAD_WITH_BASELINE = "| | Scenario | Samples | Passed | Baseline | Why |\n|:-:|:--|:--|:--|:--|:--|"
LONGEST_NAME = 200
"""Bytes of a scenario's title in one line of Markdown."""
_LONGEST_LABEL = 40
_LONGEST_REASON = 200
_MOST_MARKS = 25
_SPACE = "\u00a0"
"""Between words that are never broken over two lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A head and a line for each scenario, in order; `below` are the indexes of those below the bar.

    `notes` are paragraphs that stand below it.
    """

    head: str
    lines: tuple[str, ...]
    below: frozenset[int]
    notes: tuple[str, ...] = ()


def make_table(rows: Sequence[ScenarioResult], links: Links | None = None) -> Table:
    """Return the matrix of a variant set, else a table with a line for each row."""
    matrix = make_matrix(rows)
    if matrix is not None:
        return Table(
            head=_matrix_head(matrix),
            lines=tuple(_matrix_line(line, links) for line in matrix.lines),
            below=_indexes([line.below_bar for line in matrix.lines]),
            notes=(*tell_skipped(rows), *tell_explained(rows)),
        )
    return Table(
        head=TABLE_HEAD if all(row.baseline is None for row in rows) else TABLE_HEAD_WITH_BASELINE,
        lines=tuple(table_row(row, links) for row in rows),
        below=_indexes([row.below_bar for row in rows]),
    )


def table_row(row: ScenarioResult, links: Links | None = None) -> str:
    """Return the row of a scenario: icon, title, an icon for each sample, counts, why; linked to its YAML line.

    Between counts and why stands how it stands against the baseline, if there is one.
    """
    return _line(
        EMOJI.of_scenario(row),
        _linked(name_row(row, EMOJI), row, links),
        _marks(row),
        count_passes(row).replace(" passed, needs ", f",{_SPACE}needs{_SPACE}"),
        *([] if row.baseline is None else [_explained_state(row)]),
        _why(row),
    )


def link_to_line(file: str | None, line: int | None, links: Links | None) -> str | None:
    """Return the address of a line, None where it is unknown."""
    if links is None or file is None:
        return None
    return links.to_line(file.encode("utf-8", "replace").decode(), line)


def _matrix_head(matrix: Matrix) -> str:
    names = _line("Scenario", "Needs", *map(_variant_head, matrix.variants))
    return f"{names}\n|:--|:--|{':--|' * len(matrix.variants)}"


def _variant_head(variant: VariantFacts) -> str:
    label = table_cell(cut(variant.label, _LONGEST_LABEL))
    return label if variant.gates else f"{label}<br>{DOES_NOT_GATE}"


def _matrix_line(line: Line, links: Links | None) -> str:
    first = line.rows[0]
    cells = (_matrix_cell(cell) for cell in line.cells)
    return _line(
        _linked(name_scenario(first), first, links), line.needs.replace(" of ", f"{_SPACE}of{_SPACE}"), *cells
    )


def _matrix_cell(cell: ScenarioResult | None) -> str:
    if cell is None:
        return ""
    count = show_cell(cell, EMOJI).replace(" ", _SPACE)
    return "<br>".join(part for part in (count, _state(cell)) if part)


def _linked(name: str, row: ScenarioResult, links: Links | None) -> str:
    title = table_cell(cut(name, LONGEST_NAME))
    url = link_to_line(row.file, row.line, links)
    return title if url is None else f"[{title}]({url})"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _indexes(flags: Sequence[bool]) -> frozenset[int]:
    return frozenset(index for index, flag in enumerate(flags) if flag)


def _marks(row: ScenarioResult) -> str:
    if row.skipped is not None:
        return ""
    ended = {sample.sample: EMOJI.of_status(sample.status) for sample in row.samples}
    marks = [ended.get(number, EMOJI.unfinished) for number in range(1, row.samples_wanted + 1)]
    if len(marks) <= _MOST_MARKS:
        return "".join(marks)
    return " ".join(f"{marks.count(mark)}×{mark}" for mark in dict.fromkeys(marks))


def _state(row: ScenarioResult) -> str:
    state = name_state(row).replace(" ", _SPACE)
    return f"**{state}**" if row.regressed else state


def _explained_state(row: ScenarioResult) -> str:
    return ": ".join(part for part in (_state(row), explain_state(row, table_cell)) if part)


def _why(row: ScenarioResult) -> str:
    said = " · ".join(remarks(row))
    reason = cut(explain_scenario(row), _LONGEST_REASON)
    return ": ".join(part for part in (said, table_cell(reason) if reason else "") if part)
