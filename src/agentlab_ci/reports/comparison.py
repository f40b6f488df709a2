"""What Markdown pages say of a variant set below its matrix: what has no room in it, and what the variants are."""

from collections import Counter
from collections.abc import Sequence

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.text import plural
from agentlab_ci.reports.baseline_wording import explain_state, name_state
from agentlab_ci.reports.escape import code_element, code_span, table_cell
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.variants import (
    DOES_NOT_GATE,
    FACTS,
    MOST_VARIANTS_TOLD,
    VariantFacts,
    name_sets,
    variants_of,
)

_LONGEST_FACT = 40
_LONGEST_REASON = 120
_MOST_NOTES = 12
"""A page has to keep within its limit, whatever the names: an escape takes four times the room of its byte."""


def tell_skipped(rows: Sequence[ScenarioResult]) -> list[str]:
    """Return a sentence for each variant and reason why it skips scenarios, for which a matrix has no room."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.variant is not None and row.skipped is not None:
            key = (row.variant.variant_label, row.skipped)
            counts[key] = counts.get(key, 0) + 1
    notes = [
        f"{EMOJI.skipped} {plural(count, 'scenario')} skipped on {_span(label)}: "
        f"{code_span(cut(reason, _LONGEST_REASON))}"
        for (label, reason), count in counts.items()
    ]
    return _cap(notes)


def tell_explained(rows: Sequence[ScenarioResult]) -> list[str]:
    """Return a sentence for each reason why scenarios stand so against the baseline, in the same way."""
    counts = Counter(_explain(row) for row in rows if explain_state(row, _span))
    return _cap([f"{plural(count, 'scenario')} {told}" for told, count in counts.items()])


def fold_variants(rows: Sequence[ScenarioResult]) -> str | None:
    """Return a fold with a table of the variants, a column for all that is known of any; None outside a set."""
    variants = variants_of(rows)
    if not variants:
        return None
    told = variants[:MOST_VARIANTS_TOLD]
    names = [name for name in FACTS if any(name in variant.known for variant in told)]
    table = [
        _line(["variant", *names]),
        "|" + ":--|" * (len(names) + 1),
        *(_line([_title(variant), *(_cell(variant.known.get(name)) for name in names)]) for variant in told),
    ]
    more = len(variants) - len(told)
    return "\n\n".join(
        [
            f"<details><summary>The variants of {code_element(cut(name_sets(variants), _LONGEST_FACT))}</summary>",
            "\n".join(table),
            *([f"And {plural(more, 'more variant')}."] if more > 0 else []),
            "</details>",
        ]
    )


def _explain(row: ScenarioResult) -> str:
    label = "" if row.variant is None else f" on {_span(row.variant.variant_label)}"
    return f"{name_state(row)}{label}: {explain_state(row, _span)}"


def _cap(notes: list[str]) -> list[str]:
    more = len(notes) - _MOST_NOTES
    return notes[:_MOST_NOTES] + ([f"and {more} more reasons"] if more > 0 else [])


def _title(variant: VariantFacts) -> str:
    return _cell(variant.label) + ("" if variant.gates else f" {DOES_NOT_GATE}")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str | None) -> str:
    return "" if text is None else table_cell(cut(text, _LONGEST_FACT))


def _span(text: str) -> str:
    return code_span(cut(text, _LONGEST_FACT))
