"""A run in `agentlab ui`: how it was judged, and its trace in full."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.stored import Approval, RunEntry, RunRef, StoredRun
from agentlab_ci.reports.anchors import anchor_of
from agentlab_ci.reports.escape import printable_block
from agentlab_ci.reports.formatting import TEXT, format_moment
from agentlab_ci.reports.html_data import facts_of_scenario, sample_data
from agentlab_ci.reports.simulation import brief_of
from agentlab_ci.reports.ui_frame import Frame, render_page
from agentlab_ci.reports.ui_links import approve_url, batch_url, run_url, scenario_url
from agentlab_ci.reports.ui_parts import Fact, Mark, approval_facts, mark_status, short


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """Another sample of the same scenario; `href` is None where it never ran, and of the run itself."""

    mark: Mark
    name: str
    href: str | None
    is_this: bool


def run_page(run: StoredRun, approvals: Sequence[Approval], others: Sequence[RunEntry], frame: Frame) -> bytes:
    """Render a run; `others` are those that it can be compared with."""
    sample = run.sample
    _, name, status, glyph, facts, lines, evaluations, shown = sample_data(sample, keeps=True)
    run_id = sample.run_id or ""
    mine = RunRef(run_id=run_id, batch_id=run.batch.batch_id, scenario_id=sample.scenario_id)
    approved = [approval for approval in approvals if approval.reference == mine]
    scenario = " · ".join(short(part) for part in (sample.scenario_id, run.variant) if part)
    return render_page(
        "ui_run.html.j2",
        frame,
        f"{name}, {scenario}",
        mark=Mark(kind=status, glyph=glyph, word=name),
        scenario=scenario,
        scenario_href=scenario_url(sample.scenario_id),
        facts=(*_facts(run, facts), *approval_facts(approved)),
        lines=lines,
        brief=[(exhibit.title, printable_block(exhibit.text)) for exhibit in brief_of(run.row)],
        evaluations=evaluations,
        shown=shown,
        siblings=tuple(_siblings(run)),
        about=[] if run.row is None else list(facts_of_scenario(run.row)),
        run_id=run_id,
        others=[(it.run_id, _name_other(it, run)) for it in _likest_first(others, run) if it.run_id != run_id],
        approve=approve_url(mine) if run.ended else None,
    )


def _facts(run: StoredRun, facts: Sequence[tuple[str, str]]) -> Iterator[Fact]:
    batch = batch_url(run.batch.batch_id)
    anchor = "" if run.row is None else f"#{anchor_of(run.row)}&n={run.sample.sample}"
    yield Fact(name="batch", said=short(run.batch.batch_id), href=batch + anchor)
    yield from (Fact(name=name, said=said) for name, said in facts)


def _siblings(run: StoredRun) -> Iterator[Sibling]:
    samples: Sequence[SampleResult] = (run.sample,) if run.row is None else run.row.samples
    for sample in samples:
        is_this = sample.sample == run.sample.sample
        yield Sibling(
            mark=mark_status(sample.status),
            name=f"sample {sample.sample} of {sample.of}, {sample.status.value}",
            href=None if sample.run_id is None or is_this else run_url(sample.run_id),
            is_this=is_this,
        )


def _likest_first(others: Sequence[RunEntry], run: StoredRun) -> Sequence[RunEntry]:
    """Return the runs on the same variant before those on others."""
    return sorted(others, key=lambda it: it.variant != run.variant)


def _name_other(entry: RunEntry, run: StoredRun) -> str:
    where = "this batch" if entry.batch_id == run.batch.batch_id else short(entry.batch_id)
    began = "" if entry.started_at is None else format_moment(entry.started_at)
    parts = (
        f"{TEXT.of_status(entry.status)} {entry.status.value}",
        f"sample {entry.sample}/{entry.of}",
        short(entry.variant or ""),
        where,
        began if where != "this batch" else "",
        "approved" if entry.approved else "",
    )
    return " · ".join(part for part in parts if part)
