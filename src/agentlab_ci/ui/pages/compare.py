"""Two runs or two batches, compared."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from agentlab_ci.comparing import compare_stored
from agentlab_ci.core.compare_runs import RunComparison
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.ui_compare import batches_compared_page, choose_page, runs_compared_page
from agentlab_ci.reports.ui_links import COMPARE, compare_url
from agentlab_ci.ui.answers import Desk, answer_if_changed, asked

TWO = "Choose two: one that is held against the other."


def show_comparison(request: Request, desk: Desk) -> Response:
    """Show a comparison, or ask what is to be compared.

    `pick`, twice, is what was chosen in a list, where the newer one stands first.
    """
    picked = request.query_params.getlist("pick")
    if len(picked) == 2:
        return RedirectResponse(compare_url(picked[1], picked[0]), status_code=303)
    old, new = asked(request, "old"), asked(request, "new")
    if not old or not new:
        return _ask(request, desk, old, new, said=TWO if picked else "")
    frame = desk.frame(request, COMPARE)

    def make() -> bytes:
        comparison = compare_stored(old, new, database=desk.database)
        if isinstance(comparison, RunComparison):
            return runs_compared_page(comparison, frame)
        return batches_compared_page(comparison, frame)

    try:
        return answer_if_changed(request, desk, make)
    except BadInputError as problem:
        return _ask(request, desk, old, new, said=str(problem))


def _ask(request: Request, desk: Desk, old: str, new: str, *, said: str) -> Response:
    page = choose_page(desk.frame(request, COMPARE), old=old, new=new, said=said)
    return HTMLResponse(page, status_code=400 if said else 200)
