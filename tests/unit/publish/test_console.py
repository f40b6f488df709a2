"""The job log while a run goes on."""

from dataclasses import dataclass, field
from itertools import permutations

import pytest

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.trace import Wait
from agentlab_ci.publish.console import Console, JobLog
from factories import make_facts, make_row, make_samples

IDS = ("a.one", "a.two", "a.three")


@dataclass
class Screen:
    """Remembers the lines; its clock is set by the test."""

    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    now: float = 0.0

    def log(self) -> JobLog:
        console = Console(out=self.out.append, err=self.err.append, clock=lambda: self.now)
        return JobLog([(None, name) for name in IDS], total_samples=9, console=console, section=_heading)


def _heading(row: ScenarioResult) -> list[str]:
    return [row.title, "  its samples"]


@pytest.mark.parametrize("order", list(permutations(IDS)))
def test_sections_come_in_yaml_order_whatever_is_complete_first(order: tuple[str, ...]) -> None:
    screen = Screen()
    log = screen.log()
    for scenario_id in order:
        log.scenario_complete(make_row("ppp", scenario_id))
        done = order[: order.index(scenario_id) + 1]
        in_row = next((place for place, name in enumerate(IDS) if name not in done), len(IDS))
        assert screen.out[::2] == list(IDS[:in_row]), "a section is printed as soon as all before it are"


def test_progress_is_said_at_most_once_a_second() -> None:
    screen = Screen()
    log = screen.log()
    for now, sample in zip((0.5, 1.0, 1.9, 2.0), make_samples("pppp"), strict=True):
        screen.now = now
        log.sample_ended(make_facts(), sample)
    assert screen.err == ["2/9 samples", "4/9 samples"]


def test_a_wait_is_said_too() -> None:
    screen = Screen()
    log = screen.log()
    screen.now = 5.0
    log.waiting(make_facts(), 1, Wait(seconds=12.0, status=429, attempt=1))
    assert screen.err == ["0/9 samples, waiting 12 s (429, try 1)"]
