"""When an agent is given up on: its first samples all fail alike, before it did anything. Pure."""

from dataclasses import dataclass
from enum import Enum
from itertools import count, takewhile

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import Role

MIN_PROBES = 3
MIN_SCENARIOS = 3
REFUSALS = frozenset({401, 402, 403, 404})
"""HTTP statuses that tell of the agent's address, key or credit, and not of what it was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a sample failed before the agent did anything: it may say something of the agent as a whole."""

    reason: TerminationReason
    status: int | None = None
    message: str = ""

    def is_like(self, other: "Failure") -> bool:
        """Tell whether both failed for one cause; a refusal may be worded anew each time."""
        same_words = self.status is not None or self.message == other.message
        return (self.reason, self.status) == (other.reason, other.status) and same_words


UNREACHED = Failure(reason=TerminationReason.AGENT_UNREACHABLE)
"""No connection could be made, wherever to."""


def find_failure(sample: SampleResult, *, unreached: bool) -> Failure | None:
    """Return how the sample failed, if all of its agent's samples may fail so; `unreached`: no connection."""
    if unreached:
        return UNREACHED
    began = bool(sample.tool_calls) or any(turn.role is Role.AGENT for turn in sample.turns)
    if began or sample.status is not SampleStatus.ERROR or sample.error is None:
        return None
    final = sample.error.hopeless or sample.error.status in REFUSALS
    refused = sample.termination_reason is TerminationReason.HTTP_ERROR and final
    if refused or sample.termination_reason is TerminationReason.AGENT_ERROR:
        return Failure(reason=sample.termination_reason, status=sample.error.status, message=sample.error.message)
    return None


class Reach(Enum):
    """What is known of an agent so far. `FAILING`: every sample fails alike, though the agent is there."""

    UNKNOWN = "unknown"
    REACHED = "reached"
    UNREACHABLE = "unreachable"
    FAILING = "failing"

    @property
    def given_up(self) -> bool:
        """Whether none of the agent's samples are run any more."""
        return self in (Reach.UNREACHABLE, Reach.FAILING)


class Reachability:
    """One agent's first samples, in the order they start. `samples` are all it will run, `slots` at once.

    How they end is read in that order too: those that fail at once say nothing while one before them still runs.
    """

    def __init__(self, *, samples: int, slots: int) -> None:
        self._probes = min(samples, max(MIN_PROBES, slots))
        self._numbers = count()
        self._failed_at: dict[int, str | None] = {}
        self.failure: Failure | None = None
        """What all samples so far have in common."""
        self.reach = Reach.UNKNOWN

    def start(self) -> int:
        """Note that a sample starts, and return its number for `record`."""
        number = next(self._numbers)
        if self.reach is Reach.UNKNOWN:
            self._failed_at[number] = None
        return number

    def record(
        self, number: int, failure: Failure | None, *, scenario_id: str, last: bool, settled: bool = False
    ) -> Reach:
        """Note how a sample ended, redraws included; `last` when nothing else of the agent will run.

        `settled`: none of the agent's scenarios can pass any more. While one can, an agent is failing only if
        three scenarios fail alike: fewer may be what it fails at.
        """
        if self.reach is Reach.UNKNOWN:
            if failure is None or not (self.failure or failure).is_like(failure):
                self.reach = Reach.REACHED
            else:
                self.failure = self.failure or failure
                self._failed_at[number] = scenario_id
                self.reach = self._decide(last=last, settled=settled)
        return self.reach

    def forget(self, number: int, *, last: bool, settled: bool = False) -> Reach:
        """Leave out a sample that says nothing of the agent; the rest is as for `record`."""
        if self.reach is Reach.UNKNOWN:
            del self._failed_at[number]
            self.reach = self._decide(last=last, settled=settled)
        return self.reach

    def _decide(self, *, last: bool, settled: bool) -> Reach:
        failed_at = list(takewhile(lambda scenario_id: scenario_id is not None, self._failed_at.values()))
        enough = len(failed_at) >= self._probes
        if self.failure is UNREACHED:
            return Reach.UNREACHABLE if enough or last else Reach.UNKNOWN
        if last:
            return Reach.REACHED  # nothing is left to be spared
        enough = enough and (settled or len(set(failed_at)) >= MIN_SCENARIOS)
        return Reach.FAILING if enough else Reach.UNKNOWN
