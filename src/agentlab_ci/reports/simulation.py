"""What only a simulation shows: what its user was played by, and what its judge went by."""

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.reports.evidence import Exhibit

TURNS = 6
"""Of a simulation's end, in an excerpt: what it was judged for is spread over more than one exchange."""
TURN_BYTES = 400


def is_simulation(row: ScenarioResult) -> bool:
    """Tell whether a model played the user and another one judged."""
    return row.type is ScenarioType.SIMULATION


def brief_of(row: ScenarioResult | None) -> tuple[Exhibit, ...]:
    """Return instructions and expectations of a simulation, as far as they are known; none of other types.

    Those say in their transcripts what was asked, and in their evaluations what was expected.
    """
    if row is None or row.brief is None or not is_simulation(row):
        return ()
    texts = (("Instructions", row.brief.instructions), ("Expected", row.brief.expected))
    return tuple(Exhibit(title=title, text=text) for title, text in texts if text is not None)
