"""The HTML report as the templates show it: every text safe but for HTML's own signs, which they escape."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from agentlab_ci.core.baseline import BaselineState
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.verdict import Label, Verdict
from agentlab_ci.reports.advice import advise
from agentlab_ci.reports.anchors import anchor_of
from agentlab_ci.reports.baseline_wording import baseline_lines, tell_state
from agentlab_ci.reports.escape import code_element, link_target, printable
from agentlab_ci.reports.formatting import TEXT, format_cost, format_duration, format_moment
from agentlab_ci.reports.plots import Curve, Distribution, Rate, curves_of, distributions_of, rates_of
from agentlab_ci.reports.reasons import explain_scenario
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME
from agentlab_ci.reports.timeline import Timeline, timeline_of
from agentlab_ci.reports.variants import FACTS, VariantFacts, variants_of
from agentlab_ci.reports.wording import count_passes, pass_lines, remarks, summary_line, verdict_sentence

MISSING = "not run"
_LONGEST_REASON = 300
_KINDS = {
    TEXT.passed: "passed",
    TEXT.failed: "failed",
    TEXT.error: "error",
    TEXT.unfinished: "unfinished",
    TEXT.skipped: "skipped",
}
"""Classes of the stylesheet by icon: a scenario that could not be judged has that of an error."""
_SHOWS = {
    "below": "below the bar",
    "unjudged": "could not be judged",
    "unfinished": "unfinished",
    "passed": "passed",
    "skipped": "skipped",
    "flaky": "flaky",
    "broken": "broken",
    "regressed": "regressed",
}
"""What scenarios can be looked for by, in words."""


class Cell(NamedTuple):
    """One sample in the matrix; `anchor` is None for one that is still to come.

    A tuple, because templates take it apart: each look at an attribute is dear in their sandbox.
    """

    kind: str
    glyph: str
    name: str
    anchor: str | None


class Row(NamedTuple):
    """One scenario in the matrix, a tuple for the same reason.

    `suite`, `tags` and `variant` are places in the page's lists of them; `shows` is what it can be looked for by.
    """

    anchor: str
    kind: str
    glyph: str
    verdict: str
    scenario_id: str
    variant_label: str | None
    name: str
    passes: str
    remarks: tuple[str, ...]
    state: str
    regressed: bool
    why: str
    cells: tuple[Cell, ...]
    shows: str
    suite: int
    tags: str
    variant: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One way to choose scenarios: (value, what it is called) for each choice."""

    name: str
    label: str
    everything: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """A table of the variants: a column for all that is known of any."""

    names: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All that the report shows without its script."""

    title: str
    kind: str
    glyph: str
    headline: Markup
    figures: tuple[Markup, ...]
    facts: tuple[tuple[str, str], ...]
    run_url: str | None
    rows: tuple[Row, ...]
    filters: tuple[Filter, ...]
    variants: Variants | None
    curves: tuple[Curve, ...]
    rates: tuple[Rate, ...]
    rated: int
    distributions: tuple[Distribution, ...]
    timeline: Timeline | None


def make_page(report: RunReport) -> Page:
    """Make the page of a run."""
    suites = tuple(dict.fromkeys(row.suite for row in report.scenarios))
    tags = tuple(dict.fromkeys(tag for row in report.scenarios for tag in row.tags))
    variants = variants_of(report.scenarios)
    labels = tuple(variant.label for variant in variants)
    places = _Places(suites, tags, labels)
    rows = tuple(_row(row, places) for row in report.scenarios)
    glyph, _, sentence = verdict_sentence(report, TEXT, _name).partition(" ")
    rates, rated = rates_of(report)
    return Page(
        title=verdict_sentence(report, TEXT, lambda name: printable(cut(name, LONGEST_NAME))),
        kind=_KINDS[glyph],
        glyph=glyph,
        headline=Markup(sentence),  # noqa: S704 - fixed words and names that are escaped
        figures=tuple(map(Markup, _figures(report))),
        facts=tuple((name, printable(said)) for name, said in _facts(report)),
        run_url=_web_address(report.source.run_url),
        rows=rows,
        filters=tuple(_filters(rows, suites, tags, labels)),
        variants=_variants(variants) if variants else None,
        curves=curves_of(report),
        rates=rates,
        rated=rated,
        distributions=distributions_of(report),
        timeline=timeline_of(report),
    )


class _Places:
    """Where suites, tags and variants stand in the page's lists."""

    def __init__(self, suites: Sequence[str], tags: Sequence[str], variants: Sequence[str]) -> None:
        self.suite = {name: place for place, name in enumerate(suites)}
        self.tag = {name: place for place, name in enumerate(tags)}
        self.variant = {name: place for place, name in enumerate(variants)}


def _row(row: ScenarioResult, places: _Places) -> Row:
    glyph = TEXT.of_scenario(row)
    variant, scenario_id = row.key
    anchor = anchor_of(row)
    return Row(
        anchor=anchor,
        kind=_KINDS[glyph],
        glyph=glyph,
        verdict="could not be judged" if row.could_not_be_judged else row.verdict.value,
        scenario_id=_short(scenario_id),
        variant_label=None if variant is None else _short(variant),
        name=_short(row.name) if row.name not in ("", scenario_id) else "",
        passes=count_passes(row),
        remarks=remarks(row),
        state=printable(": ".join(tell_state(row, str))),
        regressed=row.regressed,
        why=printable(cut(explain_scenario(row), _LONGEST_REASON)),
        cells=tuple(_cells(row, anchor)) if row.skipped is None else (),
        shows=" ".join(_shows(row)),
        suite=places.suite[row.suite],
        tags=" ".join(str(places.tag[tag]) for tag in dict.fromkeys(row.tags)),
        variant=None if variant is None else places.variant[variant],
    )


def _cells(row: ScenarioResult, anchor: str) -> Iterable[Cell]:
    title = _short(row.title)
    ended = {sample.sample: sample.status for sample in row.samples}
    tolerated = row.verdict is Verdict.PASSED
    for number in range(1, row.samples_wanted + 1):
        status = ended.get(number)
        said = MISSING if status is None else status.value
        yield Cell(
            kind=_kind_of_cell(status, tolerated=tolerated),
            glyph=TEXT.unfinished if status is None else TEXT.of_status(status),
            name=f"sample {number} of {row.samples_wanted}, {said}, {title}",
            anchor=None if status is None else f"{anchor}&n={number}",
        )


def _kind_of_cell(status: SampleStatus | None, *, tolerated: bool) -> str:
    if status is None:
        return "missing"
    quiet = tolerated and status in (SampleStatus.FAILED, SampleStatus.ERROR)
    return f"{status.value} tolerated" if quiet else status.value


def _shows(row: ScenarioResult) -> Iterable[str]:
    if row.below_bar:
        yield "below"
    if row.could_not_be_judged:
        yield "unjudged"
    if row.verdict is not Verdict.FAILED:
        yield row.verdict.value
    if row.label in (Label.FLAKY, Label.BROKEN):
        yield row.label.value
    if row.baseline is not None and row.baseline.state is BaselineState.REGRESSED:
        yield "regressed"


def _filters(
    rows: Sequence[Row], suites: Sequence[str], tags: Sequence[str], variants: Sequence[str]
) -> Iterable[Filter]:
    """Yield the filters that tell any scenarios apart."""
    counts = {name: sum(name in row.shows.split() for row in rows) for name in _SHOWS}
    found = tuple((name, f"{said} ({counts[name]})") for name, said in _SHOWS.items() if counts[name])
    yield Filter(name="show", label="Verdict", everything="all", choices=found)
    listed = (("suite", "Suite", suites, 2), ("tag", "Tag", tags, 1), ("variant", "Variant", variants, 2))
    for name, label, values, least in listed:
        if len(values) >= least:
            choices = tuple((str(place), _short(value)) for place, value in enumerate(values))
            yield Filter(name=name, label=label, everything="all", choices=choices)


def _figures(report: RunReport) -> Iterable[str]:
    yield summary_line(report, TEXT)
    yield from pass_lines(report, _name)
    yield from baseline_lines(report, _name)
    yield from advise(report, _name)


def _facts(report: RunReport) -> Iterable[tuple[str, str]]:
    yield "batch", report.batch_id
    yield "began", format_moment(report.started_at)
    yield "took", format_duration(report.summary.duration_ms)
    if report.summary.cost_usd is not None:
        yield "cost", format_cost(report.summary.cost_usd)
    if report.summary.simulation_cost_usd is not None:
        yield "simulation cost", format_cost(report.summary.simulation_cost_usd)
    if report.source.commit is not None:
        yield "commit", report.source.commit[:12]
    if report.source.pull_request is not None:
        yield "pull request", f"#{report.source.pull_request}"
    yield "by", report.tool


def _variants(variants: Sequence[VariantFacts]) -> Variants:
    names = tuple(name for name in FACTS if any(name in variant.known for variant in variants))
    lines = (
        (
            _short(variant.label),
            "gates" if variant.gates else "does not gate",
            *(_short(variant.known.get(name, "")) for name in names),
        )
        for variant in variants
    )
    return Variants(names=("variant", "", *names), lines=tuple(lines))


def _web_address(url: str | None) -> str | None:
    return link_target(url) if url is not None and url.startswith(("https://", "http://")) else None


def _short(text: str) -> str:
    return printable(cut(text, LONGEST_NAME))


def _name(text: str) -> str:
    return code_element(cut(text, LONGEST_NAME))
