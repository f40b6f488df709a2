"""When an agent is given up on: its first samples all fail to connect. Pure."""

from enum import Enum

MIN_PROBES = 3


class Reach(Enum):
    """What is known of an agent so far."""

    UNKNOWN = "unknown"
    REACHED = "reached"
    UNREACHABLE = "unreachable"


class Reachability:
    """One agent's connection failures. `samples` are all it will run, `slots` how many at once."""

    def __init__(self, *, samples: int, slots: int) -> None:
        self._probes = min(samples, max(MIN_PROBES, slots))
        self._failures = 0
        self.reach = Reach.UNKNOWN

    def record(self, *, connection_failed: bool, last: bool) -> Reach:
        """Note how a sample ended, redraws included; `last` when nothing else of the agent will run."""
        if self.reach is Reach.UNKNOWN:
            if not connection_failed:
                self.reach = Reach.REACHED
            else:
                self._failures += 1
                if last or self._failures >= self._probes:
                    self.reach = Reach.UNREACHABLE
        return self.reach
