"""The pages as one application, with what is said where there is none to show."""

import secrets
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from agentlab_ci.app import World
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.escape import log_lines
from agentlab_ci.reports.ui_approve import message_page
from agentlab_ci.reports.ui_links import APPROVE, BATCH, BATCHES, COMPARE, RUN, RUNS, SCENARIO, SCENARIOS
from agentlab_ci.store.references import NotStoredError
from agentlab_ci.ui.answers import Desk
from agentlab_ci.ui.gate import Gate
from agentlab_ci.ui.pages.approve import approve, ask
from agentlab_ci.ui.pages.compare import show_comparison
from agentlab_ci.ui.pages.details import show_batch, show_run, show_scenario
from agentlab_ci.ui.pages.lists import show_batches, show_runs, show_scenarios
from agentlab_ci.ui.security import Guard

PAGES: Mapping[str, Callable[[Request, Desk], Response]] = {
    BATCHES: show_batches,
    BATCH: show_batch,
    RUNS: show_runs,
    RUN: show_run,
    SCENARIOS: show_scenarios,
    SCENARIO: show_scenario,
    COMPARE: show_comparison,
    APPROVE: ask,
}

_DAMAGE = (ArithmeticError, TypeError, ValueError)
"""What comes of rows that no run could have written."""


def make_app(world: World, *, database: Path, guard: Guard) -> ASGIApp:
    """Return the application over a database, which need not be there yet."""
    desk = Desk(database=database, guard=guard, now=world.now, started=secrets.token_hex(8))
    routes = [
        Route(path, partial(_show, page=page, desk=desk, world=world), methods=["GET"])
        for path, page in PAGES.items()
    ]
    routes.append(Route(APPROVE, partial(_write, desk=desk), methods=["POST"]))
    app = Starlette(
        routes=routes,
        exception_handlers={
            BadInputError: partial(_explain, desk=desk),
            HTTPException: partial(_explain, desk=desk),
            Exception: partial(_apologise, world=world),
        },
    )
    return Gate(app, guard)


def _show(request: Request, *, page: Callable[[Request, Desk], Response], desk: Desk, world: World) -> Response:
    try:
        return page(request, desk)
    except _DAMAGE as problem:
        _print_traceback(problem, world)
        raise BadInputError(
            f"the database {desk.database} holds what cannot be shown here: it is damaged, or agentlab has a bug"
            "\nits traceback stands where `agentlab ui` was started"
        ) from problem


async def _write(request: Request, *, desk: Desk) -> Response:
    return await approve(request, desk)


def _explain(request: Request, problem: Exception, *, desk: Desk) -> Response:
    """Say why there is no such page."""
    if isinstance(problem, HTTPException):
        status, title, said = problem.status_code, "No such page", problem.detail
    elif isinstance(problem, NotStoredError):
        status, title, said = 404, "Not stored", str(problem)
    else:
        status, title, said = 400, "This cannot be shown", str(problem)
    return HTMLResponse(message_page(title, said, desk.frame(request)), status_code=status)


def _apologise(request: Request, problem: Exception, *, world: World) -> Response:  # noqa: ARG001 - its signature
    """Print a bug where the command was started; the page must not say what went wrong inside."""
    _print_traceback(problem, world)
    return Response("agentlab has a bug: its traceback stands where `agentlab ui` was started.\n", status_code=500)


def _print_traceback(problem: Exception, world: World) -> None:
    for line in log_lines("".join(traceback.format_exception(problem))):
        world.console.err(line)
