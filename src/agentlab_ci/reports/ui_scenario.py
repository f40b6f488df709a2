"""The history of a scenario in `agentlab ui`: pass rate over time, variants, and what was approved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab_ci.core.stored import Approval, BatchRef, RunRef, StoredScenario
from agentlab_ci.core.text import glob_of
from agentlab_ci.reports.formatting import format_moment
from agentlab_ci.reports.ui_frame import Frame, render_page
from agentlab_ci.reports.ui_links import RUNS, batch_url, compare_url, link, run_url
from agentlab_ci.reports.ui_parts import short
from agentlab_ci.reports.ui_trend import Point, Trend, trend_of
from agentlab_ci.reports.variants import variants_of
from agentlab_ci.reports.wording import remarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One batch of the table. `changed` says what is not as in the batch before; `compare` leads to that one."""

    point: Point
    began: str
    remarks: tuple[str, ...]
    agent: str
    identity: str
    changed: str
    compare: str | None
    approved: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """All that is told of the scenario on one variant, the newest batch first."""

    trend: Trend
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What was approved of the scenario, and when."""

    name: str
    href: str
    approved: str


def scenario_page(
    scenario_id: str, history: Sequence[StoredScenario], approvals: Sequence[Approval], frame: Frame, *, limit: int
) -> bytes:
    """Render the history of a scenario, `limit` of whose ends are shown; approvals come newest first."""
    variants = dict.fromkeys(it.row.key[0] for it in history)
    newest = history[0].row if history else None
    named = newest is not None and newest.name not in ("", scenario_id)
    return render_page(
        "ui_scenario.html.j2",
        frame,
        short(scenario_id),
        name=short(newest.name) if newest is not None and named else "",
        suite="" if newest is None else short(newest.suite),
        tags="" if newest is None else short(", ".join(newest.tags)),
        runs=link(RUNS, scenario=glob_of(scenario_id)),
        chapters=tuple(
            _chapter(variant, [it for it in history if it.row.key[0] == variant], approvals)
            for variant in variants
        ),
        baselines=tuple(_baseline(approval) for approval in approvals),
        cut=limit if len(history) == limit else None,
    )


def _chapter(variant: str | None, stored: Sequence[StoredScenario], approvals: Sequence[Approval]) -> Chapter:
    trend = trend_of(variant, stored)
    before = [*stored[1:], None]
    return Chapter(
        trend=trend,
        lines=tuple(
            _line(it, previous, point, approvals)
            for it, previous, point in zip(stored, before, reversed(trend.points), strict=True)
        ),
    )


def _line(
    it: StoredScenario, previous: StoredScenario | None, point: Point, approvals: Sequence[Approval]
) -> Line:
    row = it.row
    told = (f"{name} {value}" for facts in variants_of([row]) for name, value in facts.known.items())
    approved = [a.approved_at for a in approvals if a.reference.batch_id == it.batch_id]
    return Line(
        point=point,
        began=format_moment(it.started_at),
        remarks=tuple(remark for remark in remarks(row) if remark != point.mark.word),
        agent=short(row.agent.label) if row.agent is not None else "",
        identity=short(", ".join(part for part in told if not part.startswith("agent "))),
        changed=", ".join(_changes(it, previous)),
        compare=None if previous is None else compare_url(previous.batch_id, it.batch_id),
        approved=format_moment(approved[0]) if approved else "",
    )


def _changes(it: StoredScenario, previous: StoredScenario | None) -> Iterator[str]:
    if previous is None:
        return
    if it.row.hash != previous.row.hash:
        yield "scenario changed"
    if (it.row.samples_wanted, it.row.needed) != (previous.row.samples_wanted, previous.row.needed):
        yield "other samples or bar"
    hashes = [None if it.row.variant is None else it.row.variant.config_hash for it in (it, previous)]
    if it.row.agent != previous.row.agent or hashes[0] != hashes[1]:
        yield "agent changed"


def _baseline(approval: Approval) -> Baseline:
    match approval.reference:
        case RunRef(run_id=run_id):
            name, href = run_id, run_url(run_id)
        case BatchRef(batch_id=batch_id):
            name, href = batch_id, batch_url(batch_id)
    return Baseline(name=short(name), href=href, approved=format_moment(approval.approved_at))
