"""What a runtime profile has no effect on: a scenario, or a part of itself."""

from collections.abc import Iterator

from agentlab_ci.core.config import (
    AgentConfig,
    Config,
    HttpAgent,
    MockAgent,
    OpenAIAgent,
    ProfileState,
    RuntimeProfile,
)
from agentlab_ci.core.history import keeps_own_history, sent_placeholders
from agentlab_ci.core.provider import RUNS_ON
from agentlab_ci.core.scenario import Scenario, Task
from agentlab_ci.loading.wording import quoted


def note_profile(scenario: Scenario, config: Config) -> Iterator[str]:
    """Yield what the scenario's profile does not do; nothing of what it might do on an agent that may run it."""
    profile = next((p for p in config.runtime_profiles if p.name == scenario.runtime_profile), None)
    if profile is None:
        return
    named = f"the profile {quoted(profile.name)}"
    agents = [
        agent
        for agent in config.agents
        if scenario.agent in (None, agent.name) and agent.provider in RUNS_ON[scenario.type]
    ]
    idle = list(_idle_parts(profile, scenario, agents))
    if len(idle) == len(list(_parts(profile))):
        yield f"{named} changes nothing for this scenario"
        return
    yield from (f"{named} {message}" for message in dict.fromkeys(idle))
    if profile.state is not None and not isinstance(scenario.body, Task):
        yield from (f"{named} {message}" for message in _unsaid(profile.state, agents))


def _parts(profile: RuntimeProfile) -> Iterator[object]:
    """Yield what a profile consists of, each of which may be idle."""
    yield from profile.tool_faults
    if profile.http_faults:
        yield profile.http_faults
    if profile.state is not None:
        yield from filter(None, (profile.state.seeded_messages, profile.state.memory_blob, _resets(profile.state)))


def _resets(state: ProfileState) -> bool:
    return state.reset != "per_run"


def _idle_parts(profile: RuntimeProfile, scenario: Scenario, agents: list[AgentConfig]) -> Iterator[str]:
    """Yield a message for each part of the profile that does nothing for the scenario on any of the agents."""
    allowed = scenario.body.tools_allowed if isinstance(scenario.body, Task) else ()
    for fault in profile.tool_faults:
        if fault.tool not in allowed:
            yield f"has a fault for {quoted(fault.tool)}, which is not allowed here"
    if profile.http_faults and agents and not any(isinstance(a, HttpAgent | OpenAIAgent) for a in agents):
        yield "has `http_faults`, but no agent that can run this is reached over HTTP"
    state = profile.state
    if state is None:
        return
    if isinstance(scenario.body, Task):
        if state.seeded_messages:
            yield "has `seeded_messages`, which are for conversations"
        if _resets(state):
            yield "has a `reset`, which is for conversations"
    elif state.seeded_messages and agents and all(_ignores_seeds(agent, state) for agent in agents):
        yield "has `seeded_messages`, of which no agent that can run this is told any"
    if state.memory_blob and agents and all(map(_ignores_memory, agents)):
        yield "has a `memory_blob`, which no agent that can run this is told; an http agent is by `{{memory}}`"


def _ignores_seeds(agent: AgentConfig, state: ProfileState) -> bool:
    if keeps_own_history(agent):
        return state.reset == "manual" or all(seed.role != "user" for seed in state.seeded_messages)
    return isinstance(agent, MockAgent)


def _ignores_memory(agent: AgentConfig) -> bool:
    if isinstance(agent, HttpAgent):
        return "memory" not in sent_placeholders(agent)
    return isinstance(agent, MockAgent)


def _unsaid(state: ProfileState, agents: list[AgentConfig]) -> Iterator[str]:
    """Yield a message if a part of the seeds cannot be told to any of the agents, all of which hear the rest."""
    others = [seed.role for seed in state.seeded_messages if seed.role != "user"]
    if others and agents and all(keeps_own_history(a) and not _ignores_seeds(a, state) for a in agents):
        roles = " and ".join(quoted(role) for role in dict.fromkeys(others))
        yield (
            f"has seeded messages of {roles}, which cannot be put into the history that the agent keeps itself: "
            "only the user's are said"
        )
