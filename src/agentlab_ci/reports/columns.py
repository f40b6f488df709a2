"""Rows under each other, for a terminal or a CI log."""

from collections.abc import Iterable, Sequence

from agentlab_ci.reports.escape import for_log, printable


def align(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a line for the header and for each row, all columns but the last padded; cells may be untrusted.

    An empty cell is shown as `-`.
    """
    table = [list(header), *([printable(cell) or "-" for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        for_log("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        for row in table
    ]


def align_facts(facts: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line for each fact that is known, its name before it; what it says may be untrusted."""
    known = [(name, printable(said)) for name, said in facts if said is not None]
    width = max((len(name) for name, _ in known), default=0)
    return [for_log(f"  {name:<{width}}  {said}") for name, said in known]
