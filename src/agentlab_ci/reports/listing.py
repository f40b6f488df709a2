"""Lists of what is stored: tables for people, and lines of JSON for programs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from agentlab_ci.core.results import SampleCounts, ScenarioCounts
from agentlab_ci.core.stored import BatchEntry, RunEntry
from agentlab_ci.reports.columns import align
from agentlab_ci.reports.formatting import Glyphs, format_duration

RUNS = ("RUN", "STATUS", "TIME", "SAMPLE", "SCENARIO")
BATCHES = ("BATCH", "VERDICT", "SCENARIOS", "SAMPLES", "TIME", "AGENTS")
APPROVED = "approved"
_MOST_NAMED = 2


def run_table(entries: Iterable[RunEntry], glyphs: Glyphs) -> list[str]:
    """Return the runs under each other; the variant stands behind the scenario."""
    return align(RUNS, (_run_row(entry, glyphs) for entry in entries))


def batch_table(entries: Iterable[BatchEntry], glyphs: Glyphs) -> list[str]:
    """Return the batches under each other, with how many of their scenarios and samples passed."""
    return align(BATCHES, (_batch_row(entry, glyphs) for entry in entries))


def json_line(entry: RunEntry | BatchEntry) -> str:
    """Return an entry as one line of JSON in ASCII, which no CI runner takes for a command."""
    text = json.dumps(asdict(entry), default=lambda counts: counts.model_dump())
    return text.replace("##[", "#\\u0023[")


def join(words: Iterable[str | None], glyphs: Glyphs) -> str:
    """Return what there is of the words, with the output's own sign between them."""
    return f" {glyphs.dot} ".join(filter(None, words))


def _run_row(entry: RunEntry, glyphs: Glyphs) -> tuple[str, ...]:
    named = (entry.scenario_id, entry.variant, APPROVED if entry.approved else None)
    return (
        entry.run_id,
        entry.status.value,
        format_duration(entry.duration_ms),
        f"{entry.sample}/{entry.of}",
        join(named, glyphs),
    )


def _batch_row(entry: BatchEntry, glyphs: Glyphs) -> tuple[str, ...]:
    named = (_name(entry.agents), _name(entry.variants), APPROVED if entry.approved else None)
    return (
        entry.batch_id,
        entry.verdict.value,
        "" if entry.scenarios is None else _share(entry.scenarios, entry.scenarios.total),
        _share(entry.samples, sum(entry.samples.model_dump().values())),
        "" if entry.duration_ms is None else format_duration(entry.duration_ms),
        join(named, glyphs),
    )


def _name(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _share(counts: ScenarioCounts | SampleCounts, of: int) -> str:
    return f"{counts.passed}/{of}"
