"""One batch, one run, one scenario."""

from starlette.requests import Request
from starlette.responses import Response

from agentlab_ci.core.results import RunReport
from agentlab_ci.core.stored import UnendedBatch
from agentlab_ci.core.text import glob_of
from agentlab_ci.reports.moments import seconds_of
from agentlab_ci.reports.ui_batch import batch_page, unplanned_page
from agentlab_ci.reports.ui_links import BATCHES, RUNS, SCENARIOS
from agentlab_ci.reports.ui_run import run_page
from agentlab_ci.reports.ui_scenario import scenario_page
from agentlab_ci.store.approvals import list_approvals
from agentlab_ci.store.listing import Filter, Page, list_batches, list_runs
from agentlab_ci.store.reader import load_batch, load_run
from agentlab_ci.store.rows import column
from agentlab_ci.store.scenario_history import load_history
from agentlab_ci.ui.answers import Desk, answer_if_changed, required

HISTORY = 60
"""Ends of a scenario that are drawn."""
_OTHERS = 20
"""Runs of a scenario that one of them can be compared with at a choice."""
_LOOK_BACK = 10
"""Batches that are looked at for one of the same suite."""


def show_batch(request: Request, desk: Desk) -> Response:
    """Show a batch: the report, as far as it is known."""
    batch_id = required(request, "id")

    def make() -> bytes:
        batch = load_batch(desk.database, batch_id)
        ended = isinstance(batch, RunReport)
        frame = desk.frame(request, BATCHES, live=not ended)
        if isinstance(batch, UnendedBatch):
            if not batch.planned:
                return unplanned_page(batch, frame)
            batch = batch.report_so_far(duration_ms=_lasted(batch))
        approvals = list_approvals(desk.database, batch_id=batch_id)
        return batch_page(batch, approvals, frame, ended=ended, before=_find_before(batch, desk))

    return answer_if_changed(request, desk, make)


def show_run(request: Request, desk: Desk) -> Response:
    """Show a run with its trace."""
    run_id = required(request, "id")

    def make() -> bytes:
        run = load_run(desk.database, run_id)
        batch_id = run.batch.batch_id
        approvals = list_approvals(desk.database, batch_id=batch_id)
        alike = Filter(scenario=glob_of(run.sample.scenario_id))
        others = list_runs(desk.database, alike, limit=_OTHERS)
        return run_page(run, approvals, others, desk.frame(request, RUNS))

    return answer_if_changed(request, desk, make)


def show_scenario(request: Request, desk: Desk) -> Response:
    """Show what became of a scenario from batch to batch."""
    scenario_id = required(request, "id")

    def make() -> bytes:
        history = load_history(desk.database, scenario_id, limit=HISTORY)
        approvals = list_approvals(desk.database, scenario_id=scenario_id)
        frame = desk.frame(request, SCENARIOS, live=True)
        return scenario_page(scenario_id, history, approvals, frame, limit=HISTORY)

    return answer_if_changed(request, desk, make)


def _find_before(report: RunReport, desk: Desk) -> str | None:
    """Return the newest batch that ended and began before this one, of a suite that this one holds too."""
    suites = {column(row.suite) for row in report.scenarios}
    earlier = list_batches(desk.database, Filter(), page=Page(before=report.batch_id), limit=_LOOK_BACK)
    return next((it.batch_id for it in earlier if it.ended_at is not None and suites & set(it.suites)), None)


def _lasted(batch: UnendedBatch) -> float:
    """Return how many milliseconds passed until its last sample ended, as far as is known."""
    began = seconds_of(batch.facts.started_at)
    samples = [sample for samples in batch.samples.values() for sample in samples]
    ends = [1000 * at + it.duration_ms for it in samples if (at := seconds_of(it.started_at)) is not None]
    return 0 if began is None else max(0, round(max(ends, default=0) - 1000 * began))
