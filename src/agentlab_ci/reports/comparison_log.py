"""A variant set in the job log: the matrix, its columns under each other, and what the variants are. Untrusted."""

from collections.abc import Iterator, Sequence

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.baseline_wording import name_state
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.matrix import make_matrix, show_cell
from agentlab_ci.reports.variants import DOES_NOT_GATE, MOST_VARIANTS_TOLD, VariantFacts, name_sets, variants_of
from agentlab_ci.reports.wording import name_scenario

_LONGEST_ID, _LONGEST_LABEL = 60, 24
"""Characters; what is longer would push the columns off the screen."""


def comparison_lines(rows: Sequence[ScenarioResult], glyphs: Glyphs) -> list[str]:
    """Return the variants, a line each, and the matrix; nothing outside a variant set."""
    variants = variants_of(rows)
    if not variants:
        return []
    more = len(variants) - MOST_VARIANTS_TOLD
    return [
        f"variants of {name_sets(variants)}:",
        *(f"  {_describe(variant)}" for variant in variants[:MOST_VARIANTS_TOLD]),
        *([f"  and {more} more"] if more > 0 else []),
        *_matrix_lines(rows, glyphs),
    ]


def _describe(variant: VariantFacts) -> str:
    said = [f"{name} {value}" for name, value in variant.known.items()]
    return f"{variant.label}: {', '.join([*said, *([] if variant.gates else [DOES_NOT_GATE])])}"


def _matrix_lines(rows: Sequence[ScenarioResult], glyphs: Glyphs) -> Iterator[str]:
    matrix = make_matrix(rows)
    if matrix is None:
        return
    table = [["scenario", "needs", *map(_head, matrix.variants)]]
    for line in matrix.lines:
        cells = (_show(cell, glyphs) for cell in line.cells)
        table.append([_shorten(name_scenario(line.rows[0]), _LONGEST_ID), line.needs, *cells])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for texts in table:
        yield "  ".join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip()


def _show(cell: ScenarioResult | None, glyphs: Glyphs) -> str:
    return "" if cell is None else f"{show_cell(cell, glyphs)} {name_state(cell)}".rstrip()


def _head(variant: VariantFacts) -> str:
    label = _shorten(variant.label, _LONGEST_LABEL)
    return label if variant.gates else f"{label} ({DOES_NOT_GATE})"


def _shorten(name: str, length: int) -> str:
    return name if len(name) <= length else f"{name[: length - 3]}..."
