"""What the variants of a run are: their agents, their versions, the hash of their config."""

from collections.abc import Iterable
from dataclasses import dataclass

from agentlab_ci.core.results import ScenarioResult, VariantIdentity

MOST_VARIANTS_TOLD = 12
DOES_NOT_GATE = "does not gate"
FACTS = ("agent", "prompt", "model", "tools", "config", "config hash")
"""What is told of a variant, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantFacts:
    """One variant of a set; `known` is what is known of it, by the names of `FACTS`. All of it is untrusted."""

    set_name: str
    label: str
    gates: bool
    known: dict[str, str]


def variants_of(rows: Iterable[ScenarioResult]) -> tuple[VariantFacts, ...]:
    """Return the variants in the order of their first rows; none outside a variant set."""
    first: dict[str, tuple[ScenarioResult, VariantIdentity]] = {}
    gating: set[str] = set()
    for row in rows:
        if row.variant is not None:
            first.setdefault(row.variant.variant_label, (row, row.variant))
            gating |= {row.variant.variant_label} if row.gate else set()
    return tuple(_facts_of(row, variant, gates=label in gating) for label, (row, variant) in first.items())


def name_sets(variants: Iterable[VariantFacts]) -> str:
    """Name the set, or all of them where results of several were put together."""
    return ", ".join(dict.fromkeys(variant.set_name for variant in variants))


def _facts_of(row: ScenarioResult, variant: VariantIdentity, *, gates: bool) -> VariantFacts:
    told = (
        row.agent.label if row.agent else None,
        variant.prompt_version,
        variant.model_version,
        variant.tool_schema_version,
        variant.config_label,
        variant.config_hash,
    )
    return VariantFacts(
        set_name=variant.variant_set_name,
        label=variant.variant_label,
        gates=gates,
        known={name: value for name, value in zip(FACTS, told, strict=True) if value},
    )
