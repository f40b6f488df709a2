"""What files may say already but this version cannot do yet: it is refused, so that no check is empty."""

from collections.abc import Iterator

from agentlab_ci.core.scenario import Scenario
from agentlab_ci.runner.registry import SCENARIO_RUNNERS


def name_unbuilt(scenario: Scenario) -> Iterator[str]:
    """Yield a sentence for each thing that running the scenario would need and is not there."""
    place = f"{scenario.place.path}:{scenario.place.line}: {scenario.id}: this version"
    if scenario.type not in SCENARIO_RUNNERS:
        yield f"{place} checks {scenario.type} scenarios but cannot run them yet"
