"""Approval: the question, and the only thing that anybody can write here."""

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from agentlab_ci.core.stored import BatchRef, Reference
from agentlab_ci.errors import BadInputError
from agentlab_ci.history import Candidate, approve_candidate, load_candidate
from agentlab_ci.reports.ui_approve import approve_page, message_page
from agentlab_ci.reports.ui_links import shown_at
from agentlab_ci.store.references import NotStoredError, find_reference
from agentlab_ci.ui.answers import Desk, read_form

PRINTED = "`agentlab ui` printed"
_FORBIDDEN = 403


def ask(request: Request, desk: Desk) -> Response:
    """Ask whether a run or a batch is to be approved; raises BadInputError for one that is not there."""
    candidate = _load(request.query_params, desk)
    reference = candidate.reference or BatchRef(batch_id=candidate.report.batch_id)
    frame = desk.frame(request)
    how_ended = None if candidate.passed else candidate.how_ended
    return HTMLResponse(approve_page(reference, candidate.name, frame, how_ended=how_ended, printed=PRINTED))


async def approve(request: Request, desk: Desk) -> Response:
    """Approve it, for who brings the token from a form of ours, and lead back to it."""
    form: Mapping[str, str] = {}
    refusal = desk.guard.refuse_sender(request.headers, cookie=request.state.token)
    if refusal is None:
        form = await read_form(request)
        refusal = desk.guard.refuse_write(
            request.headers, cookie=request.state.token, form_token=form.get("token")
        )
    if refusal is not None:
        page = message_page("Nothing was approved", refusal, desk.frame(request))
        return HTMLResponse(page, status_code=_FORBIDDEN)
    return await run_in_threadpool(_approve, form, desk)


def _approve(form: Mapping[str, str], desk: Desk) -> Response:
    candidate = _load(form, desk)
    approve_candidate(candidate, database=desk.database, now=desk.now(), force=form.get("force") == "yes")
    reference = candidate.reference or BatchRef(batch_id=candidate.report.batch_id)
    return RedirectResponse(shown_at(reference), status_code=303)


def _load(given: Mapping[str, str], desk: Desk) -> Candidate:
    """Return what is to be approved; raises BadInputError where the batch has no samples of the scenario."""
    candidate = load_candidate(_read(given, desk), database=desk.database)
    match candidate.reference:
        case BatchRef(batch_id=batch_id, scenario_id=str(scenario_id)):
            if not any(row.samples for row in candidate.report.scenarios):
                raise NotStoredError(f"{batch_id} holds no samples of {scenario_id}")
    return candidate


def _read(given: Mapping[str, str], desk: Desk) -> Reference:
    """Return what is meant; raises BadInputError where it is not stored, or where nothing is named."""
    run_id, batch_id, scenario_id = (given.get(name, "") for name in ("run", "batch", "scenario"))
    if not run_id and not batch_id:
        raise BadInputError("nothing is named that could be approved")
    reference = find_reference(desk.database, run_id or batch_id)
    if scenario_id and isinstance(reference, BatchRef):
        return BatchRef(batch_id=reference.batch_id, scenario_id=scenario_id)
    return reference
