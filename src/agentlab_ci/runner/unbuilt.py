"""What files may say already but this version cannot do yet: it is refused, so that no check is empty."""

from collections.abc import Iterator

from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig, Config
from agentlab_ci.core.scenario import Scenario, Task
from agentlab_ci.runner.registry import SCENARIO_RUNNERS


def name_unbuilt(scenario: Scenario, agent: AgentConfig, config: Config) -> Iterator[str]:
    """Yield a sentence for each thing that running the scenario on the agent would need and is not there."""
    place = f"{scenario.place.path}:{scenario.place.line}: {scenario.id}: this version"
    if scenario.type not in SCENARIO_RUNNERS:
        yield f"{place} checks {scenario.type} scenarios but cannot run them yet"
    if agent.provider not in AGENTS:
        yield f"{place} cannot run {agent.provider} agents yet ({agent.name})"
    if _profile_matters(scenario, config):
        yield f"{place} checks `runtime_profile` but cannot apply {scenario.runtime_profile} yet"


def _profile_matters(scenario: Scenario, config: Config) -> bool:
    profile = next((p for p in config.runtime_profiles if p.name == scenario.runtime_profile), None)
    if profile is None or isinstance(scenario.body, Task):
        return False
    return profile.state is not None
