"""A run under way as the live view sees it, and the view driven without a terminal."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from textual.pilot import Pilot

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import Brief, RunReport, ScenarioFacts, ScenarioResult
from agentlab_ci.core.trace import Wait
from agentlab_ci.reports.formatting import TEXT, Glyphs
from agentlab_ci.tui.app import Leave, LiveApp
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.state import LiveState
from canned import scenario, simulation_scenario, task_scenario
from factories import make_report

Script = Callable[[LiveApp, Pilot[Leave]], Awaitable[None]]

STEPS = Brief(steps=("Hello", "Where is my order?"))


def _with_run_ids(*rows: ScenarioResult) -> Iterator[ScenarioResult]:
    """Give the samples ids as a run gives them."""
    for number, row in enumerate(rows, start=1):
        samples = (it.model_copy(update={"run_id": _run_id(number, it.sample)}) for it in row.samples)
        yield judge_scenario(facts_of(row), samples)


def _run_id(row: int, sample: int) -> str:
    return f"run_20260407_0012{row:02}_{row}x{sample}c"


def facts_of(row: ScenarioResult) -> ScenarioFacts:
    """Return what was known of a scenario before it ran."""
    return ScenarioFacts(**{name: getattr(row, name) for name in ScenarioFacts.model_fields})


ROWS = tuple(
    _with_run_ids(
        scenario("ppp", "support.order-status", brief=STEPS),
        scenario("pfp", "support.nut-allergies", name="Ask about nut allergies", brief=STEPS),
        scenario("fpf", "support.cancel", name="Cancel an order that was sent", brief=STEPS),
        task_scenario(
            "support.refund", "refunded", "forbidden", "refunded", name="Refund the order charged twice"
        ),
        simulation_scenario("support.double-charge", "met", "missed", "met"),
        scenario("eee", "support.return", name="Return a lamp", brief=STEPS),
        scenario("...", "support.patch", name="Fix the checkout", skipped="a task cannot run on an http agent"),
        scenario("...", "support.invoice", name="Send the invoice again", brief=STEPS),
    )
)
"""Of every kind one, in YAML order."""


def half_way() -> Feed:
    """Return the feed of a run of which some scenarios are through, some run, and one has not begun."""
    feed = Feed()
    feed.planned([facts_of(row) for row in ROWS])
    done, nuts, cancel, refund, charge, lamp, skipped, _ = ROWS
    feed.scenario_complete(skipped)
    for row, ended in ((done, 3), (nuts, 3), (cancel, 2), (refund, 2), (charge, 1), (lamp, 2)):
        for sample in row.samples[:ended]:
            feed.sample_started(facts_of(row), sample.sample, str(sample.run_id))
            feed.sample_ended(facts_of(row), sample)
    for number, row, running in ((3, cancel, 3), (4, refund, 3), (5, charge, 2), (6, lamp, 3)):
        feed.sample_started(facts_of(row), running, _run_id(number, running))
    feed.waiting(facts_of(lamp), 3, Wait(seconds=12, status=429, attempt=2))
    return feed


def whole() -> RunReport:
    """Return the report of the same run."""
    return make_report(*ROWS)


def drive(
    script: Script,
    *,
    feed: Feed | None = None,
    state: LiveState | None = None,
    glyphs: Glyphs = TEXT,
    size: tuple[int, int] = (100, 34),
    interrupted: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = lambda: 0.0,
) -> Leave | None:
    """Run the view without a terminal, have the script use it, and return how it was left."""
    app = LiveApp(feed, state or LiveState(), clock=clock, glyphs=glyphs, interrupted=interrupted)

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            app.tick()
            await pilot.pause()
            await script(app, pilot)

    asyncio.run(run())
    return app.return_value


def screen_lines(app: LiveApp) -> list[str]:
    """Return what stands on the screen, line by line, without colours."""
    strips = app.screen._compositor.render_strips()
    return [strip.text.rstrip() for strip in strips]


def screen_text(app: LiveApp) -> str:
    """Return the same as one text."""
    return "\n".join(screen_lines(app))
