"""Who keeps the history of a conversation: the agent itself, or we, who then tell it with every message."""

from agentlab_ci.core.config import AgentConfig, HttpAgent, RuntimeProfile
from agentlab_ci.core.placeholder import find_placeholders


def keeps_own_history(agent: AgentConfig) -> bool:
    """Tell whether nobody can put words into its history: an http agent that is not sent `{{messages}}`."""
    return isinstance(agent, HttpAgent) and "messages" not in sent_placeholders(agent)


def sent_placeholders(agent: HttpAgent) -> frozenset[str]:
    """Return the placeholders in what is sent to the agent, as far as its config says."""
    return frozenset(find_placeholders([agent.headers, agent.request_template or {}]))


def messages_to_say(profile: RuntimeProfile | None, agent: AgentConfig) -> tuple[str, ...]:
    """Return the user's seeded messages that have to be said, before the first step, to be in the agent's history.

    None of them to an agent that nobody resets: whether it has heard them in an earlier run cannot be known.
    """
    state = profile.state if profile else None
    if state is None or state.reset == "manual" or not keeps_own_history(agent):
        return ()
    return tuple(seed.message for seed in state.seeded_messages if seed.role == "user")
