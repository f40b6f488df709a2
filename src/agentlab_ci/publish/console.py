"""The job log while a run goes on: scenarios in YAML order on stdout, progress on stderr."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agentlab_ci.core.results import RowKey, SampleResult, ScenarioFacts, ScenarioResult
from agentlab_ci.core.trace import Wait
from agentlab_ci.publish.progress import Progress

Say = Callable[[str], None]
Section = Callable[[ScenarioResult], list[str]]
"""Renders one scenario."""

PROGRESS_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Where lines go: `out` is the report, `err` is talk. `clock` is in seconds."""

    out: Say
    err: Say
    clock: Callable[[], float]


class JobLog:
    """Prints a scenario's section once it and all before it are complete; progress at most once a second."""

    def __init__(self, keys: Iterable[RowKey], *, total_samples: int, console: Console, section: Section) -> None:
        self._pending = list(keys)[::-1]
        self._complete: dict[RowKey, ScenarioResult] = {}
        self._progress = Progress(total_samples=total_samples)
        self._console = console
        self._section = section
        self._said_at = console.clock()

    def sample_started(self, facts: ScenarioFacts, sample: int, run_id: str) -> None:
        """Say nothing: only what has ended is counted."""

    def sample_ended(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        """Count the sample and say how far the run is."""
        self._progress.count(facts, sample)
        self._say_progress()

    def waiting(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        """Say that a sample waits for a busy agent."""
        self._progress.wait(facts, sample, wait)
        self._say_progress()

    def scenario_complete(self, result: ScenarioResult) -> None:
        """Print what is next in order, as far as it is complete."""
        self._complete[result.key] = result
        while self._pending and self._pending[-1] in self._complete:
            for line in self._section(self._complete.pop(self._pending.pop())):
                self._console.out(line)

    def _say_progress(self) -> None:
        now = self._console.clock()
        if now - self._said_at >= PROGRESS_SECONDS:
            self._said_at = now
            self._console.err(self._progress.line())
