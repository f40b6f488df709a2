"""What the run tells the live view: events, and the queue over which they come from the run's thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from agentlab_ci.core.results import RunReport, SampleResult, ScenarioFacts, ScenarioResult
from agentlab_ci.core.trace import Wait


@dataclass(frozen=True, slots=True)
class Planned:
    """What will run, in YAML order; skipped scenarios are among the rows."""

    rows: tuple[ScenarioFacts, ...]


@dataclass(frozen=True, slots=True)
class SampleStarted:
    """A sample has begun."""

    facts: ScenarioFacts
    sample: int
    run_id: str


@dataclass(frozen=True, slots=True)
class SampleEnded:
    """A sample has its result, in place of an earlier one of the same number."""

    facts: ScenarioFacts
    sample: SampleResult


@dataclass(frozen=True, slots=True)
class SampleWaits:
    """A sample waits because its agent, or a model of its simulation, is busy."""

    facts: ScenarioFacts
    sample: int
    wait: Wait


@dataclass(frozen=True, slots=True)
class ScenarioCompleted:
    """All samples of a scenario have ended for good."""

    result: ScenarioResult


@dataclass(frozen=True, slots=True)
class Said:
    """A line of talk, such as a warning; it may be untrusted."""

    line: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The run is over; `report` is None when it ended without one."""

    report: RunReport | None


Event = Planned | SampleStarted | SampleEnded | SampleWaits | ScenarioCompleted | Said | Finished


class Feed:
    """Takes what the run's thread tells, and never blocks it; hands it out where the view asks for it."""

    def __init__(self) -> None:
        self._events: SimpleQueue[Event] = SimpleQueue()

    def planned(self, rows: Sequence[ScenarioFacts]) -> None:
        """Tell what will run, in YAML order: before anything else."""
        self._events.put(Planned(tuple(rows)))

    def sample_started(self, facts: ScenarioFacts, sample: int, run_id: str) -> None:
        """Tell that a sample has begun."""
        self._events.put(SampleStarted(facts, sample, run_id))

    def sample_ended(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        """Tell how a sample ended; once more for one whose result is replaced."""
        self._events.put(SampleEnded(facts, sample))

    def waiting(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        """Tell that a sample waits from now on, for `wait.seconds`."""
        self._events.put(SampleWaits(facts, sample, wait))

    def scenario_complete(self, result: ScenarioResult) -> None:
        """Tell that all samples of a scenario have ended for good."""
        self._events.put(ScenarioCompleted(result))

    def said(self, line: str) -> None:
        """Pass on a line of talk."""
        self._events.put(Said(line))

    def finished(self, report: RunReport | None) -> None:
        """Tell that the run is over: after everything else."""
        self._events.put(Finished(report))

    def drain(self, most: int | None = None) -> list[Event]:
        """Return what has come since the last time, in order; at most `most` events, the rest next time."""
        events: list[Event] = []
        while most is None or len(events) < most:
            try:
                events.append(self._events.get_nowait())
            except Empty:
                break
        return events
