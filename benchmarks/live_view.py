"""The live view of a big run: `python live_view.py SCENARIOS SAMPLES` prints its costs as JSON, in milliseconds.

Without a terminal, but drawn in full. All scenarios are open, which is more than the view opens of such a run.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from math import ceil
from statistics import median

from agentlab_ci.core.results import RunReport, ScenarioFacts
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.tui.app import EVENTS_A_TICK, LiveApp
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.state import LiveState
from agentlab_ci.tui.tree import ScenarioTree
from benchmarks.results import make_report

BURST = 1000


def main(scenarios: int, samples: int) -> None:
    """Follow one run from its plan to its end."""
    print(json.dumps(asyncio.run(_follow(make_report(scenarios=scenarios, samples=samples)))))


async def _follow(report: RunReport) -> dict[str, float]:
    feed = Feed()
    feed.planned([_facts(row) for row in report.scenarios])
    app = LiveApp(feed, LiveState(), clock=time.monotonic, glyphs=TEXT)
    started = time.perf_counter()
    figures: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        figures["first tick"] = _time(app.tick)
        await pilot.pause()
        figures["first paint"] = (time.perf_counter() - started) * 1000
        app.screen.query_one(ScenarioTree).root.expand_all()
        await pilot.pause()
        ended = [(row, sample) for row in report.scenarios for sample in row.samples]
        bursts = []
        for begin in range(0, len(ended), BURST):
            for row, sample in ended[begin : begin + BURST]:
                feed.sample_ended(row, sample)
            bursts.append([_time(app.tick) for _ in range(ceil(BURST / EVENTS_A_TICK))])
            await pilot.pause()
        figures["burst of 1,000 updates, in all"] = median(sum(ticks) for ticks in bursts)
        figures["its longest tick"] = median(max(ticks) for ticks in bursts)
        ticks = []
        for row in report.scenarios[:EVENTS_A_TICK]:
            feed.sample_ended(row, row.samples[0].model_copy(update={"duration_ms": 1}))
        figures["tick that judges as many scenarios as one may"] = _time(app.tick)
        for row in report.scenarios[:20]:
            feed.sample_ended(row, row.samples[0])
            ticks.append(_time(app.tick))
            await pilot.pause()
        figures["tick with one update"] = median(ticks)
        figures["tick without any"] = median(_time(app.tick) for _ in range(20))
        started = time.perf_counter()
        await pilot.press("pagedown")
        await pilot.pause()
        figures["page down"] = (time.perf_counter() - started) * 1000
    return figures


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _facts(row: ScenarioFacts) -> ScenarioFacts:
    return ScenarioFacts(**{name: getattr(row, name) for name in ScenarioFacts.model_fields})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
