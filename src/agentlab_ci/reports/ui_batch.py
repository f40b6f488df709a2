"""A batch in `agentlab ui`: the HTML report itself, with ways to its runs, the batch before, and approval."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import Approval, BatchRef, UnendedBatch
from agentlab_ci.core.text import plural
from agentlab_ci.reports.formatting import format_moment
from agentlab_ci.reports.html import with_samples
from agentlab_ci.reports.html_page import make_page
from agentlab_ci.reports.ui_frame import Frame, begin_page, render_page
from agentlab_ci.reports.ui_links import RUNS, approve_url, compare_url, link
from agentlab_ci.reports.ui_parts import Fact, approval_facts, short

UNKNOWN_PLAN = "What it runs is not stored: only its runs are known, until it ends."


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where a batch leads; None where that leads nowhere."""

    runs: str
    compare: str | None
    approve: str | None


def batch_page(
    report: RunReport,
    approvals: Sequence[Approval],
    frame: Frame,
    *,
    ended: bool,
    before: str | None,
) -> bytes:
    """Render a batch; of one without end what is known so far. `before` is a batch to compare it with."""
    page = make_page(report)
    links = Links(
        runs=link(RUNS, batch=report.batch_id),
        compare=None if before is None or not ended else compare_url(before, report.batch_id),
        approve=approve_url(BatchRef(batch_id=report.batch_id)) if ended else None,
    )
    head = begin_page(
        "ui_batch.html.j2",
        frame,
        page.title,
        page=page,
        links=links,
        approvals=tuple(approval_facts(approvals)),
        progress=None if ended else _progress(report),
    )
    return with_samples(head, report)


def unplanned_page(batch: UnendedBatch, frame: Frame) -> bytes:
    """Render a batch of which only samples are known, without its plan."""
    facts = batch.facts
    counts = [sample.status for samples in batch.samples.values() for sample in samples]
    told = ", ".join(f"{counts.count(status)} {status.value}" for status in SampleStatus if status in counts)
    return render_page(
        "ui_unplanned.html.j2",
        frame,
        short(facts.batch_id),
        said=f"{plural(len(counts), 'sample')} stored" + (f": {told}" if told else ""),
        note=UNKNOWN_PLAN,
        facts=(Fact(name="began", said=format_moment(facts.started_at)), Fact(name="by", said=short(facts.tool))),
        runs=link(RUNS, batch=facts.batch_id),
    )


def _progress(report: RunReport) -> tuple[int, int]:
    """Return how many samples have ended, and of how many."""
    rows = report.judged
    return sum(len(row.samples) for row in rows), sum(row.samples_wanted for row in rows)
