"""The lists: batches, runs and scenarios."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import BatchEntry, RunEntry, ScenarioEntry
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.ui_links import BATCHES, RUNS, SCENARIOS
from agentlab_ci.reports.ui_lists import batches_page, runs_page, scenarios_page
from agentlab_ci.reports.ui_parts import NO_END, Field, Form, Pages, choose, place_pages
from agentlab_ci.store.listing import Filter, Names, Page, list_batches, list_names, list_runs
from agentlab_ci.store.scenario_history import list_scenarios
from agentlab_ci.ui.answers import Desk, answer_if_changed, asked

PAGE = 50
"""Lines of a list on one page."""
MOST_SCENARIOS = 500
_NOBODY = Names(suites=(), agents=(), variants=())

EntryT = TypeVar("EntryT", BatchEntry, RunEntry)
WordT = TypeVar("WordT", BatchState, SampleStatus)


def show_batches(request: Request, desk: Desk) -> Response:
    """Show the batches, the newest first."""

    def make() -> bytes:
        verdict = asked(request, "verdict")
        words = tuple((it.value, NO_END if it is BatchState.NO_END else it.value) for it in BatchState)
        field = Field(name="verdict", label="Verdict", value=verdict, choices=words)
        form = Form(label="Batches", action=BATCHES, fields=(field, *_shared_fields(request, desk)))
        state = _member(BatchState, verdict)
        page = _page(request)
        known = desk.database.exists()
        found = (
            list_batches(desk.database, _filter(request), verdict=state, page=page, limit=PAGE + 1)
            if known
            else ()
        )
        shown, pages = _cut(found, page, form, [entry.batch_id for entry in found])
        return batches_page(shown, form, pages, desk.frame(request, BATCHES, live=True))

    return answer_if_changed(request, desk, make)


def show_runs(request: Request, desk: Desk) -> Response:
    """Show the runs, the newest first."""

    def make() -> bytes:
        status, batch = asked(request, "status"), asked(request, "batch")
        words = tuple((it.value, it.value) for it in SampleStatus)
        fields = (
            Field(name="status", label="Status", value=status, choices=words),
            *_shared_fields(request, desk),
            Field(name="batch", label="Batch", value=batch, hint="its id", wide=True),
        )
        form = Form(label="Runs", action=RUNS, fields=fields)
        page = _page(request)
        found: Sequence[RunEntry] = ()
        if desk.database.exists():
            found = list_runs(
                desk.database,
                _filter(request),
                status=_member(SampleStatus, status),
                batch_id=batch or None,
                page=page,
                limit=PAGE + 1,
            )
        shown, pages = _cut(found, page, form, [entry.run_id for entry in found])
        return runs_page(shown, form, pages, desk.frame(request, RUNS, live=True))

    return answer_if_changed(request, desk, make)


def show_scenarios(request: Request, desk: Desk) -> Response:
    """Show the scenarios by suite."""

    def make() -> bytes:
        scenario, suite = asked(request, "scenario"), asked(request, "suite")
        known = desk.database.exists()
        suites = list_names(desk.database).suites if known else ()
        fields = (
            Field(name="suite", label="Suite", value=suite, choices=choose(suites, suite)),
            Field(name="scenario", label="Scenario", value=scenario, hint="id or glob", wide=True),
        )
        form = Form(label="Scenarios", action=SCENARIOS, fields=fields)
        found: Sequence[ScenarioEntry] = ()
        if known:
            found = list_scenarios(
                desk.database, scenario=scenario or "*", suite=suite or None, limit=MOST_SCENARIOS + 1
            )
        frame = desk.frame(request, SCENARIOS, live=True)
        return scenarios_page(found[:MOST_SCENARIOS], form, frame, is_cut=len(found) > MOST_SCENARIOS)

    return answer_if_changed(request, desk, make)


def _shared_fields(request: Request, desk: Desk) -> tuple[Field, ...]:
    names = list_names(desk.database) if desk.database.exists() else _NOBODY
    suite, agent, variant = (asked(request, name) for name in ("suite", "agent", "variant"))
    named = (
        Field(name="suite", label="Suite", value=suite, choices=choose(names.suites, suite)),
        Field(name="agent", label="Agent", value=agent, choices=choose(names.agents, agent)),
        Field(name="variant", label="Variant", value=variant, choices=choose(names.variants, variant)),
    )
    return (
        *(field for field in named if field.choices),
        Field(name="since", label="Since", value=asked(request, "since"), kind="date"),
        Field(name="scenario", label="Scenario", value=asked(request, "scenario"), hint="id or glob", wide=True),
    )


def _filter(request: Request) -> Filter:
    names = {name: asked(request, name) or None for name in ("scenario", "suite", "agent", "variant")}
    since = asked(request, "since")
    try:
        moment = datetime.fromisoformat(since) if since else None
        moment = moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
        found = Filter(since=moment, **names)
        found.parameters()
    except (ValueError, OverflowError):
        raise BadInputError(f"{since!r} is no day such as 2026-04-07") from None
    return found


def _member(words: type[WordT], value: str) -> WordT | None:
    try:
        return words(value) if value else None
    except ValueError:
        raise BadInputError(f"{value!r} is none of {', '.join(words)}") from None


def _page(request: Request) -> Page:
    return Page(before=asked(request, "before") or None, after=asked(request, "after") or None)


def _cut(found: Sequence[EntryT], page: Page, form: Form, ids: Sequence[str]) -> tuple[Sequence[EntryT], Pages]:
    """Return the entries of one page, and where those before and after them are; one more than fits was asked."""
    more = len(found) > PAGE
    part = slice(-PAGE, None) if page.after is not None else slice(PAGE)
    given = {field.name: field.value for field in form.fields if field.value}
    if not found:
        return found, Pages(newest=None, newer=None, older=None)
    shown, names = found[part], ids[part]
    backward = page.after is not None
    pages = place_pages(
        form.action,
        given,
        first=names[0],
        last=names[-1],
        has_newer=more if backward else page.before is not None,
        has_older=more or backward,
    )
    return shown, pages
