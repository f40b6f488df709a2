"""The story of the live view: a run goes on in a thread of its own, and the terminal is shown to be one's own."""

import signal
import threading
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from agentlab_ci.app import Outcome, World, run_scenarios, tell_bug
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.stored import BatchRef, Reference, UnendedBatch
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.publish.held_lines import HeldLines
from agentlab_ci.reports.escape import for_log
from agentlab_ci.results_file import read_results_file
from agentlab_ci.settings import RunSettings
from agentlab_ci.store.reader import load_batch
from agentlab_ci.store.references import NotStoredError, find_reference

if TYPE_CHECKING:
    from agentlab_ci.tui.app import Leave
    from agentlab_ci.tui.session import RunFeed

_INSTALL = "pip install 'agentlab-ci[tui]'"


def run_watched(settings: RunSettings, world: World) -> Outcome:
    """Do what `run_scenarios` does, shown in the terminal while it goes on; needs the main thread.

    Where the view is not installed the log is printed instead, and where it breaks, from then on.
    """
    try:
        from agentlab_ci.tui.session import RunFeed  # noqa: PLC0415 - it is an extra
    except ImportError:
        world.console.err(f"note: {_INSTALL} shows the run live; --no-tui leaves this line out")
        return run_scenarios(settings, world)
    lines = HeldLines(world.console)
    known = threading.Event()

    def open_up() -> None:
        lines.hold(tell=feed.said)
        known.set()

    feed = RunFeed(lines.log, on_planned=open_up)
    outcome = _start(settings, replace(world, console=lines.console, watcher=feed), feed, known)
    known.wait()
    bug = _show(feed, lines, world) if lines.holding else None
    ended = outcome.result()
    if bug is not None:
        raise tell_bug(bug, world, config_file=settings.config_file)
    return ended


def _start(settings: RunSettings, world: World, feed: "RunFeed", known: threading.Event) -> "Future[Outcome]":
    """Run in another thread; `known` is set at the end, if it was not before."""
    future: Future[Outcome] = Future()

    def work() -> None:
        report: RunReport | None = None
        try:
            outcome = run_scenarios(settings, world)
            report = outcome.report
            future.set_result(outcome)
        except BaseException as problem:  # noqa: BLE001 - raised again where the outcome is asked for
            future.set_exception(problem)
        finally:
            feed.finished(report)
            known.set()

    threading.Thread(target=work, name="agentlab-run", daemon=True).start()
    return future


def _show(feed: "RunFeed", lines: HeldLines, world: World) -> Exception | None:
    """Show the run until the view is left, then let the lines go; returns the bug that closed it, if one did."""
    if world.interrupts.exit_code is not None:
        lines.release(log=True)
        return None
    from agentlab_ci.tui.app import Action  # noqa: PLC0415 - as above
    from agentlab_ci.tui.session import show  # noqa: PLC0415
    from agentlab_ci.tui.state import LiveState  # noqa: PLC0415

    state = LiveState()
    try:
        leave = show(
            feed,
            state,
            clock=world.console.clock,
            glyphs=world.log_style.glyphs,
            interrupts=world.interrupts,
        )
    except Exception as bug:  # noqa: BLE001 - whatever it is, the run goes on and its reports are written
        lines.release(log=True)
        world.console.err("warning: the live view has a bug and is closed; the run goes on")
        return bug
    _print(leave, world)
    if leave.action is Action.STOP:
        world.interrupts.note(signal.SIGINT)
    if world.interrupts.exit_code is not None and not state.over:
        world.console.err("stopping what runs; then the reports are written")
    lines.release(log=leave.action is Action.KEEP)
    return None


def view_stored(text: str, world: World, *, database: Path) -> Outcome:
    """Show a stored batch, or a file of results, until the view is left; needs the main thread.

    A batch that has no end is shown as far as it is stored. Raises BadInputError for what is not there or is no
    whole batch, and where the view is not installed.
    """
    report, unended = _find_report(text, world, database)
    try:
        from agentlab_ci.tui.session import show  # noqa: PLC0415 - as above
        from agentlab_ci.tui.state import state_of  # noqa: PLC0415
    except ImportError:
        raise BadInputError(
            f"the view is not installed: {_INSTALL} brings it; `agentlab show` prints a stored batch"
        ) from None
    leave = show(
        None,
        state_of(report, unended=unended),
        clock=world.console.clock,
        glyphs=world.log_style.glyphs,
        interrupts=world.interrupts,
    )
    _print(leave, world)
    return Outcome(exit_code=ExitCode.OK, report=report)


def _find_report(text: str, world: World, database: Path) -> tuple[RunReport, bool]:
    """Return what is meant, and whether it is a batch without an end."""
    if text.endswith(".json") or (world.cwd / text).is_file():
        return regate(read_results_file(world.cwd, text)), False
    reference = _find_batch(database, text)
    batch_id = reference.batch_id
    if not isinstance(reference, BatchRef) or reference.scenario_id is not None:
        raise BadInputError(
            f"{text} is a part of {batch_id}: view that, and open the part in it; `agentlab show` prints it alone"
        )
    batch = load_batch(database, batch_id)
    if isinstance(batch, RunReport):
        return batch, False
    if not batch.planned:
        raise BadInputError(
            f"batch {batch_id} did not end, and an older agentlab began it; "
            f"`agentlab show {batch_id}` prints what is stored of it"
        )
    world.console.err(f"note: {batch_id} still runs, or was killed: this is what is stored of it by now")
    return batch.report_so_far(duration_ms=_time_of(batch)), True


def _find_batch(database: Path, text: str) -> Reference:
    try:
        return find_reference(database, text)
    except NotStoredError as problem:
        if text.startswith(("batch_", "@")):
            raise
        hint = f"{text} is neither stored nor a file of results"
        raise BadInputError(f"{hint}: `agentlab list batches` names those that can be viewed") from problem


def _time_of(batch: UnendedBatch) -> float:
    """Return how long the batch went on until the last of its samples that are stored ended, in milliseconds."""
    began = datetime.fromisoformat(batch.facts.started_at)
    ends = (
        (datetime.fromisoformat(sample.started_at) - began) / timedelta(milliseconds=1) + sample.duration_ms
        for samples in batch.samples.values()
        for sample in samples
        if sample.started_at is not None
    )
    return max(ends, default=0.0)


def _print(leave: "Leave", world: World) -> None:
    """Print the details that were asked for, so that they stay when the view is gone."""
    for text in leave.printed:
        for line in (*text.split("\n"), ""):
            world.console.out(for_log(line))
