"""What a real batch tells whoever watches it is what it then reports."""

from datetime import UTC, datetime
from pathlib import Path

from agentlab_ci.app import World, run_scenarios
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.log import LogStyle, scenario_section
from agentlab_ci.settings import RunSettings
from agentlab_ci.tui.feed import Event, Planned, SampleEnded, SampleStarted, ScenarioCompleted
from agentlab_ci.tui.header import tell_header
from agentlab_ci.tui.session import RunFeed
from agentlab_ci.tui.state import LiveState, state_of
from command import conversation, write_project
from demo import ENDS, copy_demo
from loopback import closed_port


class Watched:
    """A run with somebody who watches it: what it came to, what was told, and what was printed where."""

    def __init__(self, folder: Path, settings: RunSettings) -> None:
        self.lines: list[str] = []
        self.log: list[str] = []
        self.talk: list[str] = []
        self.planned_after: list[int] = []
        feed = RunFeed(self._console(self.log), on_planned=lambda: self.planned_after.append(len(self.log)))
        world = World(
            cwd=folder,
            environ={},
            console=self._console(self.lines),
            log_style=LogStyle(glyphs=TEXT),
            now=lambda: datetime(2026, 4, 7, tzinfo=UTC),
            interrupts=Interrupts(),
            watcher=feed,
        )
        report = run_scenarios(settings, world).report
        assert report is not None
        self.report = report
        self.events: list[Event] = feed.drain()

    def _console(self, lines: list[str]) -> Console:
        return Console(out=lines.append, err=self.talk.append, clock=lambda: 0.0)


def check(watched: Watched) -> None:
    report = watched.report
    state = LiveState()
    for event in watched.events:
        state.apply(event)
    state.take_changed()
    over = state_of(report)
    assert tuple(row.result for row in state.rows) == report.scenarios
    assert (state.rows, state.counts, state.pass_lines) == (over.rows, over.counts, over.pass_lines)
    assert [line.plain for line in tell_header(state, TEXT, elapsed=0, width=1000)][:2] == [
        line.plain for line in tell_header(over, TEXT, elapsed=0, width=1000)
    ][:2]


def test_the_view_of_a_real_batch_is_that_of_its_report(tmp_path: Path) -> None:
    watched = Watched(copy_demo(tmp_path), RunSettings())
    check(watched)
    first, *rest = watched.events
    assert isinstance(first, Planned)
    assert watched.planned_after == [0], "before the log says anything"
    running: dict[tuple[str, int], str] = {}
    for event in rest:
        match event:
            case SampleStarted(facts, sample, run_id):
                running[facts.scenario_id, sample] = run_id
            case SampleEnded(facts, sample):
                assert running.pop((facts.scenario_id, sample.sample)) == sample.run_id
    assert not running
    complete = [event.result for event in rest if isinstance(event, ScenarioCompleted)]
    assert sorted(row.scenario_id for row in complete) == list(ENDS)


def test_sections_go_to_the_watchers_log_and_the_rest_to_the_console(tmp_path: Path) -> None:
    watched = Watched(copy_demo(tmp_path), RunSettings())
    style = LogStyle(glyphs=TEXT)
    assert watched.log == [line for row in watched.report.scenarios for line in scenario_section(row, style=style)]
    assert [line.partition(":")[0] for line in watched.lines if ":" in line][:1] == ["reports"]


def test_samples_that_never_start_and_skipped_scenarios_are_told_too(tmp_path: Path) -> None:
    no_refund = {"type": "forbidden_tool", "mode": "hard_gate", "config": {"tools": ["orders.refund"]}}
    task = {"type": "task", "id": "a.task", "name": "A task", "suite": "a", "agent": "gone"}
    scenarios = [
        conversation("a.settled", agent="mock"),
        conversation("a.gone", agent="gone"),
        conversation("a.gone-too", agent="gone"),
        conversation("a.lost", agent="mock", keyword="lost"),
        task
        | {"task": {"instructions": "Work."}, "tools": {"allowed": ["orders.list"]}, "evaluators": [no_refund]},
    ]
    with closed_port() as port:
        agents = [
            {"name": "mock", "provider": "mock", "replies": [{"reply": "It has shipped."}]},
            {"name": "gone", "provider": "http", "url": f"http://127.0.0.1:{port}/"},
        ]
        folder = write_project(tmp_path, {"agents": agents}, scenarios)
        watched = Watched(folder, RunSettings(samples=5, stop_when_settled=True, concurrency=1))
    check(watched)
    ends = [event.sample for event in watched.events if isinstance(event, SampleEnded)]
    never_run = {sample.termination_reason for sample in ends if sample.run_id is None}
    assert {TerminationReason.SETTLED, TerminationReason.AGENT_UNREACHABLE} <= never_run
    assert any(row.skipped for row in watched.report.scenarios)
