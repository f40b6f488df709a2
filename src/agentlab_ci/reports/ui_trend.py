"""How often a scenario passed from batch to batch, as coordinates and as the numbers that are drawn.

Widths are percentages, so that the text stays as large as it is on any screen; heights are pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agentlab_ci.core.estimates import wilson
from agentlab_ci.core.stored import StoredScenario
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.ui_links import batch_url
from agentlab_ci.reports.ui_parts import KINDS, Mark, short

HIGH = 140
"""The height of a rate of 1."""
_LEFT, _WIDE = 8.0, 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One batch. `rate` and what follows are None where no sample has ended, or the agent was given up on."""

    href: str
    name: str
    mark: Mark
    x: float
    needed_y: float
    said: str
    interval: str
    rate: str | None = None
    y: float | None = None
    low_y: float | None = None
    high_y: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The points of one variant, the oldest first, and the lines from each to the next that has a rate."""

    variant: str | None
    points: tuple[Point, ...]
    lines: tuple[tuple[Point, Point], ...]


def trend_of(variant: str | None, stored: Sequence[StoredScenario]) -> Trend:
    """Draw what is stored of a scenario on one variant, which comes newest first."""
    ordered = stored[::-1]
    step = _WIDE / max(1, len(ordered) - 1)
    points = tuple(
        _point(it, x=_LEFT + _WIDE / 2 if len(ordered) == 1 else round(_LEFT + step * place, 2))
        for place, it in enumerate(ordered)
    )
    known = [point for point in points if point.rate is not None]
    return Trend(
        variant=None if variant is None else short(variant),
        points=points,
        lines=tuple(pairwise(known)),
    )


def _point(stored: StoredScenario, *, x: float) -> Point:
    row = stored.row
    n = row.samples_wanted - row.unfinished
    glyph = TEXT.of_scenario(row)
    interval = None if row.agent_given_up or row.verdict is Verdict.SKIPPED else wilson(row.passed, n)
    word = "could not be judged" if row.could_not_be_judged else row.verdict.value
    point = Point(
        href=batch_url(stored.batch_id),
        name=short(stored.batch_id),
        mark=Mark(kind=KINDS[glyph], glyph=glyph, word=word),
        x=x,
        needed_y=_height(row.needed / row.samples_wanted),
        said=f"{row.passed}/{n}",
        interval="" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}",
    )
    if interval is None:
        return point
    return replace(
        point,
        rate=f"{row.passed / n:.2f}",
        y=_height(row.passed / n),
        low_y=_height(interval.low),
        high_y=_height(interval.high),
    )


def _height(share: float) -> float:
    return round(HIGH * (1 - share), 1)
