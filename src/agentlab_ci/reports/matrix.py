"""A variant set as a matrix: scenarios down, variants across, in YAML order."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.variants import VariantFacts, variants_of

MOST_COLUMNS = 12
"""Nobody reads more; such a set has a line for each scenario and variant instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scenario: a cell for each variant, None where it is not in the results. At least one is not None."""

    cells: tuple[ScenarioResult | None, ...]

    @property
    def rows(self) -> tuple[ScenarioResult, ...]:
        """The cells that are there."""
        return tuple(cell for cell in self.cells if cell is not None)

    @property
    def below_bar(self) -> bool:
        """Whether it is below the bar on any variant."""
        return any(row.below_bar for row in self.rows)

    @property
    def needs(self) -> str:
        """How many samples have to pass: `2 of 3`."""
        return " or ".join(dict.fromkeys(f"{row.needed} of {row.samples_wanted}" for row in self.rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Each row of a run in its place."""

    variants: tuple[VariantFacts, ...]
    lines: tuple[Line, ...]


def make_matrix(rows: Sequence[ScenarioResult]) -> Matrix | None:
    """Return the matrix of a variant set; None outside of one, and for more than `MOST_COLUMNS` variants."""
    variants = variants_of(rows)
    if not 0 < len(variants) <= MOST_COLUMNS or any(row.variant is None for row in rows):
        return None
    cells = {row.key: row for row in rows}
    scenarios = dict.fromkeys(row.scenario_id for row in rows)
    return Matrix(
        variants=variants,
        lines=tuple(
            Line(cells=tuple(cells.get((variant.label, scenario)) for variant in variants))
            for scenario in scenarios
        ),
    )


def show_cell(cell: ScenarioResult, glyphs: Glyphs) -> str:
    """Write what stands in a cell: `✓ 2/3`, or that the scenario was skipped."""
    said = f"{cell.passed}/{cell.samples_wanted}" if cell.skipped is None else "skipped"
    return f"{glyphs.of_scenario(cell)} {said}"
