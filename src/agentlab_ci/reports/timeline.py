"""The timeline of the HTML report: samples by slot, as coordinates in shares of a thousand, and as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.estimates import slots
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.reports.anchors import anchor_of
from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.formatting import format_moment
from agentlab_ci.reports.moments import format_span, seconds_of
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME

MOST_TIMES = 300
"""Samples that the numbers list; of more, the slots are listed."""
_FULL = 1000
"""The width of the plot."""
_SLOT_HEIGHT, _TALLEST = 14, 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """When one sample ran, and in which slot, from 1."""

    anchor: str
    title: str
    number: int
    of: int
    status: SampleStatus
    start: str
    took: str
    slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLoad:
    """How many samples a slot ran, and for which share of the time that the plot covers."""

    slot: int
    samples: int
    busy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Samples over time, one line of bars a slot; `paths` are their outlines by status."""

    height: float
    paths: tuple[tuple[SampleStatus, str], ...]
    ticks: tuple[tuple[int, str], ...]
    began: str
    times: tuple[Time, ...]
    loads: tuple[SlotLoad, ...]
    left_out: int


def timeline_of(report: RunReport) -> Timeline | None:
    """Return the samples whose start is known, over time; None where there is none."""
    known = [
        (row, sample, start)
        for row in report.scenarios
        for sample in row.samples
        if (start := seconds_of(sample.started_at)) is not None
    ]
    if not known:
        return None
    began = min(start for _, _, start in known)
    spans = [((start - began) * 1000, sample.duration_ms) for _, sample, start in known]
    whole = max(start + length for start, length in spans) or 1
    given = slots(spans)
    height = max(2.0, min(_SLOT_HEIGHT, _TALLEST / (max(given) + 1)))
    outlines: dict[SampleStatus, list[str]] = {}
    for (_, sample, _), (start, length), slot in zip(known, spans, given, strict=True):
        box = _box(start / whole, length / whole, slot * height, height, sample.status)
        outlines.setdefault(sample.status, []).append(box)
    times = (
        Time(
            anchor=anchor_of(row, sample.sample),
            title=printable(cut(row.title, LONGEST_NAME)),
            number=sample.sample,
            of=sample.of,
            status=sample.status,
            start=f"+{format_span(start)}",
            took=format_span(length),
            slot=slot + 1,
        )
        for (row, sample, _), (start, length), slot in zip(known, spans, given, strict=True)
    )
    return Timeline(
        height=height * (max(given) + 1),
        paths=tuple((status, "".join(boxes)) for status, boxes in outlines.items()),
        ticks=tuple((place, format_span(whole * place / _FULL)) for place in (0, 250, 500, 750, _FULL)),
        began=format_moment(min(sample.started_at or "" for _, sample, start in known if start == began)),
        times=tuple(times) if len(known) <= MOST_TIMES else (),
        loads=_loads(spans, given, whole) if len(known) > MOST_TIMES else (),
        left_out=sum(sample.started_at is None for row in report.scenarios for sample in row.samples),
    )


def _box(start: float, length: float, top: float, height: float, status: SampleStatus) -> str:
    """Outline a sample: what passed is a low bar, what did not a high one, so that colour is not all there is."""
    tall = height * (0.35 if status in (SampleStatus.PASSED, SampleStatus.CANCELLED) else 0.85)
    x, width = start * _FULL, max(1.0, length * _FULL)
    return f"M{x:.1f} {top + (height - tall) / 2:.1f}h{width:.1f}v{tall:.1f}h-{width:.1f}z"


def _loads(spans: Sequence[tuple[float, float]], given: Sequence[int], whole: float) -> tuple[SlotLoad, ...]:
    lengths: list[list[float]] = [[] for _ in range(max(given) + 1)]
    for (_, length), slot in zip(spans, given, strict=True):
        lengths[slot].append(length)
    return tuple(
        SlotLoad(slot=slot + 1, samples=len(of_slot), busy=f"{100 * sum(of_slot) / whole:.0f} %")
        for slot, of_slot in enumerate(lengths)
    )
