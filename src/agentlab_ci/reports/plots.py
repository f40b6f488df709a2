"""The plots of the HTML report, as coordinates and as the numbers that are drawn.

Small plots are drawn in a box of fixed size; those as wide as the page in shares of a thousand of its width.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from agentlab_ci.core.estimates import (
    Bin,
    Interval,
    Tally,
    histogram,
    mean_pass_at,
    mean_pass_hat,
    quantile,
    wilson,
)
from agentlab_ci.core.judge import pass_groups
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.stats import format_share
from agentlab_ci.core.trace import Role
from agentlab_ci.reports.anchors import anchor_of
from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.formatting import format_cost
from agentlab_ci.reports.moments import format_span
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME

MOST_CURVES = 12
MOST_RATES = 50
_MOST_DRAWS = 24
_MOST_BINS = 15
_FULL = 1000
"""The width of a page-wide plot."""
_WIDE, _HIGH = 220, 140
"""The inside of a small plot."""
_LABEL_HEIGHT = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """pass@j and pass^j for one j, with their places in the plot."""

    j: int
    x: float
    at: str
    hat: str
    at_y: float
    hat_y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """pass@j and pass^j for j = 1..k over the `of` scenarios of one variant and one k."""

    variant: str | None
    k: int
    of: int
    draws: tuple[Draw, ...]
    at_label_y: float
    hat_label_y: float

    @property
    def ticks(self) -> tuple[Draw, ...]:
        """At most six draws for labels, the first and the last among them."""
        step = -(-len(self.draws) // 6)
        inner = self.draws[step : len(self.draws) - step : step]
        return tuple(dict.fromkeys((self.draws[0], *inner, self.draws[-1])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often a scenario passed. `low`, `high`, `rate` and `needed` are shares of a thousand."""

    anchor: str
    title: str
    passed: int
    n: int
    rate: int
    low: int
    high: int
    needed: int
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bin of a histogram, and what it counts."""

    x: float
    width: float
    y: float
    height: float
    low: str
    high: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How values are spread; `summary` names median, ninth decile and the highest."""

    title: str
    noun: str
    count: int
    summary: str
    low: str
    high: str
    most: int
    bars: tuple[Bar, ...]


def curves_of(report: RunReport) -> tuple[Curve, ...]:
    """Return a curve for each variant and k of which pass@k is measured, in order of first appearance."""
    measured = [group for group in pass_groups(report.scenarios) if group.counts is not None]
    return tuple(_curve(report, group.variant, group.k) for group in measured[:MOST_CURVES])


def rates_of(report: RunReport) -> tuple[tuple[Rate, ...], int]:
    """Return the rates in YAML order, of many only the lowest; and how many scenarios have one."""
    known = [row for row in report.judged if not row.agent_given_up and row.unfinished < row.samples_wanted]
    lowest = sorted(range(len(known)), key=lambda place: _share_of(known[place]))[:MOST_RATES]
    rates = (_rate(known[place]) for place in sorted(lowest))
    return tuple(rate for rate in rates if rate is not None), len(known)


def distributions_of(report: RunReport) -> tuple[Distribution, ...]:
    """Return how the latency of replies and the cost of samples are spread, where they are known."""
    samples = [sample for row in report.scenarios for sample in row.samples]
    latencies = [
        t.latency_ms for s in samples for t in s.turns if t.role is Role.AGENT and t.latency_ms is not None
    ]
    costs = [sample.usage.cost_usd for sample in samples if sample.usage.cost_usd is not None]
    drawn = (
        _distribution("Latency of a reply", "reply", latencies, format_span),
        _distribution("Cost of a sample", "sample", costs, format_cost),
    )
    return tuple(it for it in drawn if it is not None)


def _curve(report: RunReport, variant: str | None, k: int) -> Curve:
    """Draw over the same scenarios as pass@k is counted: those that are complete, on an agent that answered."""
    passed = Counter(
        row.passed
        for row in report.judged
        if (row.key[0], row.samples_wanted) == (variant, k) and not row.agent_given_up and not row.unfinished
    )
    tallies = {Tally(samples=k, passed=number): scenarios for number, scenarios in passed.items()}
    draws = tuple(_draw(tallies, j, k) for j in _chosen(k))
    last = draws[-1]
    label = max(last.at_y, _LABEL_HEIGHT / 2)
    return Curve(
        variant=None if variant is None else printable(cut(variant, LONGEST_NAME)),
        k=k,
        of=passed.total(),
        draws=draws,
        at_label_y=min(label, _HIGH - 1.5 * _LABEL_HEIGHT),
        hat_label_y=max(last.hat_y, min(label, _HIGH - 1.5 * _LABEL_HEIGHT) + _LABEL_HEIGHT),
    )


def _chosen(k: int) -> list[int]:
    """Choose for which j to draw: all, or of many some that are evenly apart, 1 and k among them."""
    if k <= _MOST_DRAWS:
        return list(range(1, k + 1))
    return sorted({1 + round((k - 1) * place / (_MOST_DRAWS - 1)) for place in range(_MOST_DRAWS)})


def _draw(tallies: Mapping[Tally, int], j: int, k: int) -> Draw:
    at, hat = (mean(tallies, j) or Fraction(0) for mean in (mean_pass_at, mean_pass_hat))
    return Draw(
        j=j,
        x=round(_WIDE * (j - 1) / (k - 1), 1),
        at=format_share(at.numerator, at.denominator),
        hat=format_share(hat.numerator, hat.denominator),
        at_y=round(_HIGH * float(1 - at), 1),
        hat_y=round(_HIGH * float(1 - hat), 1),
    )


def _share_of(row: ScenarioResult) -> Fraction:
    return Fraction(row.passed, row.samples_wanted - row.unfinished)


def _rate(row: ScenarioResult) -> Rate | None:
    n = row.samples_wanted - row.unfinished
    interval = wilson(row.passed, n)
    if interval is None:
        return None
    return Rate(
        anchor=anchor_of(row),
        title=printable(cut(row.title, LONGEST_NAME)),
        passed=row.passed,
        n=n,
        rate=round(_FULL * row.passed / n),
        low=round(_FULL * interval.low),
        high=round(_FULL * interval.high),
        needed=round(_FULL * row.needed / row.samples_wanted),
        interval=interval,
    )


def _distribution(
    title: str, noun: str, values: Sequence[float], write: Callable[[float], str]
) -> Distribution | None:
    if not values:
        return None
    bins = histogram(values, most=_MOST_BINS)
    most = max(it.count for it in bins)
    median, ninth = (quantile(values, Fraction(share)) for share in ("1/2", "9/10"))
    return Distribution(
        title=title,
        noun=noun,
        count=len(values),
        summary=f"half within {write(median)}, nine in ten within {write(ninth)}, highest {write(max(values))}",
        low=write(bins[0].low),
        high=write(bins[-1].high),
        most=most,
        bars=tuple(_bar(it, place, len(bins), most, write) for place, it in enumerate(bins)),
    )


def _bar(it: Bin, place: int, bins: int, most: int, write: Callable[[float], str]) -> Bar:
    width, height = _WIDE / max(bins, 4), _HIGH * it.count / most
    return Bar(
        x=round(width * place, 1),
        width=round(width - 1, 1),
        y=round(_HIGH - height, 1),
        height=round(height, 1),
        low=write(it.low),
        high=write(it.high),
        count=it.count,
    )
