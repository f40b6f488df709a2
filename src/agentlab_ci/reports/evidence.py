"""A sample's evidence, piece by piece: its turns or final output, and the body that came instead of an answer."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.trace import Turn
from agentlab_ci.reports.formatting import format_duration
from agentlab_ci.reports.reasons import explain_sample, tell_history


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """One text of a sample. `title` is a fixed word; `details` and `text` are untrusted."""

    title: str
    details: tuple[str, ...] = ()
    text: str


def exhibits(sample: SampleResult) -> Iterator[Exhibit]:
    """Yield what was said, in order; the final output only where there are no turns."""
    for turn in sample.turns:
        yield Exhibit(title=turn.role.value, details=tuple(_details(turn)), text=turn.text)
    if not sample.turns and sample.final_output is not None:
        yield Exhibit(title="final output", text=sample.final_output)
    if sample.error is not None and sample.error.body:
        yield Exhibit(title="body of the answer", text=sample.error.body)


def describe_sample(sample: SampleResult) -> str:
    """Return the reasons, the history and the exhibits as plain text."""
    told = [*explain_sample(sample), *tell_history(sample)]
    shown = (f"\n{', '.join((it.title, *it.details))}:\n{it.text}" for it in exhibits(sample))
    return "\n".join([*told, *shown])


def _details(turn: Turn) -> Iterator[str]:
    if turn.latency_ms is not None:
        yield format_duration(turn.latency_ms)
    if turn.note is not None:
        yield turn.note
