"""How far a run is, in one line."""

from collections import defaultdict

from agentlab_ci.core.results import RowKey, SampleResult, ScenarioFacts
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.sampling import needed
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Wait
from agentlab_ci.core.verdict import Verdict, verdict


class Progress:
    """Counts samples as they end, and the scenarios that can no longer reach their bar."""

    def __init__(self, *, total_samples: int) -> None:
        self._total = total_samples
        self._statuses: dict[RowKey, dict[int, SampleStatus]] = defaultdict(dict)
        self._below: set[RowKey] = set()
        self._waits: dict[tuple[RowKey, int], Wait] = {}

    def count(self, facts: ScenarioFacts, sample: SampleResult) -> None:
        """Note that a sample has ended; noting it again replaces what was noted."""
        row = facts.key
        statuses = self._statuses[row]
        statuses[sample.sample] = sample.status
        self._waits.pop((row, sample.sample), None)
        outcome = verdict(
            passed=sum(status is SampleStatus.PASSED for status in statuses.values()),
            unfinished=facts.samples_wanted - sum(status.finished for status in statuses.values()),
            needed=needed(facts.samples_wanted, facts.pass_rate),
        )
        if outcome is Verdict.FAILED:
            self._below.add(row)

    def wait(self, facts: ScenarioFacts, sample: int, wait: Wait) -> None:
        """Note that a sample waits."""
        self._waits[facts.key, sample] = wait

    def line(self) -> str:
        """Say it: `7/12 samples, 1 scenario below the bar, waiting 12 s (429, try 2)`."""
        ended = sum(len(statuses) for statuses in self._statuses.values())
        parts = [f"{ended}/{self._total} samples"]
        if self._below:
            parts.append(f"{plural(len(self._below), 'scenario')} below the bar")
        if self._waits:
            longest = max(self._waits.values(), key=lambda wait: wait.seconds)
            parts.append(f"waiting {longest.seconds:g} s ({longest.status}, try {longest.attempt})")
        return ", ".join(parts)
