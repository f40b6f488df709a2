"""Which agent runs a scenario, in a variant set as which variants, and whether it can."""

from dataclasses import dataclass

from agentlab_ci.core.config import AgentConfig, Config, MockAgent, Variant
from agentlab_ci.core.identity import hash_config
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.results import VariantIdentity
from agentlab_ci.core.scenario import Scenario, ScenarioType
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.wording import did_you_mean, quoted
from agentlab_ci.settings import RunSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a scenario runs on: an agent, in a variant set as one of its variants."""

    agent: AgentConfig
    variant: VariantIdentity | None = None
    gate: bool = True


def assign_variants(config: Config, settings: RunSettings) -> tuple[Assignment, ...]:
    """Return the variants of the set that `--variant-set` names, in its order; each runs every scenario.

    Nothing without `--variant-set`. Raises BadInputError for a set that is not there, and when an agent is asked
    for beside it.
    """
    if settings.variant_set is None:
        return ()
    other = "--agent" if settings.agent is not None else "--provider" if settings.provider is not None else None
    if other is not None:
        raise BadInputError(f"{other} and --variant-set exclude each other: each variant brings its own agent")
    known = {group.name: group for group in config.variant_sets}
    if settings.variant_set not in known:
        hint = did_you_mean(settings.variant_set, known)
        raise BadInputError(f"there is no variant set {quoted(settings.variant_set)}{hint}")
    group = known[settings.variant_set]
    return tuple(_assign_variant(variant, group.name, config) for variant in group.variants)


def assign_agent(scenario: Scenario, config: Config, settings: RunSettings) -> AgentConfig:
    """Choose by `--agent`, `--provider`, the scenario's `agent`, or because there is only one; never by default.

    Raises BadInputError with the names there are when none of these decides.
    """
    if settings.agent is not None:
        return _by_name(settings.agent, config, asked_by="--agent")
    if settings.provider is not None:
        return _by_provider(settings.provider, config)
    if scenario.agent is not None:
        return _by_name(scenario.agent, config, asked_by=f"{scenario.place.path}:{scenario.place.line}: agent")
    if len(config.agents) == 1:
        return config.agents[0]
    if not config.agents:
        raise BadInputError(
            "no agent: add one under `agents:` in agentlab.config.yaml, such as "
            "`- {name: my-agent, provider: http, url: http://localhost:3000/chat}`"
        )
    raise BadInputError(
        f"{scenario.id} does not say which agent runs it: give --agent, or `agent:` in the scenario; "
        f"there are {_names(config)}"
    )


def why_skipped(scenario: Scenario, agent: AgentConfig) -> str | None:
    """Say why a scenario of this type cannot run on the agent; None when it can."""
    if agent.provider not in RUNS_ON[scenario.type]:
        able = ", ".join(sorted(RUNS_ON[scenario.type]))
        return f"a {scenario.type} does not run on {agent.name} ({agent.provider}), only on {able}"
    if scenario.type is not ScenarioType.TASK and isinstance(agent, MockAgent) and not agent.replies:
        return f"a {scenario.type} runs on {agent.name} (mock) only with scripted `replies`"
    return None


def _assign_variant(variant: Variant, set_name: str, config: Config) -> Assignment:
    agent = _by_name(variant.agent, config, asked_by=f"variant {variant.label}")
    identity = VariantIdentity(
        variant_set_name=set_name,
        variant_label=variant.label,
        prompt_version=variant.prompt_version,
        model_version=variant.model_version,
        tool_schema_version=variant.tool_schema_version,
        config_label=variant.config_label,
        config_hash=hash_config(agent, variant),
    )
    return Assignment(agent=agent, variant=identity, gate=variant.gate)


def _by_name(name: str, config: Config, *, asked_by: str) -> AgentConfig:
    for agent in config.agents:
        if agent.name == name:
            return agent
    raise BadInputError(f"{asked_by}: no agent is called {name!r}; there are {_names(config)}")


def _by_provider(provider: Provider, config: Config) -> AgentConfig:
    found = [agent for agent in config.agents if agent.provider is provider]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInputError(
            f"--provider {provider} fits several agents; give --agent and one of "
            + ", ".join(agent.name for agent in found)
        )
    if provider is Provider.MOCK:
        return MockAgent(name="mock", provider=Provider.MOCK)
    if provider is Provider.HTTP:
        raise BadInputError(
            "HTTP agents require a configured url: add an agent with `provider: http` and `url:` to the config"
        )
    there = ", ".join(f"{agent.name} ({agent.provider})" for agent in config.agents)
    have = "there is none" if not there else f"there {'is' if len(config.agents) == 1 else 'are'} {there}"
    raise BadInputError(f"--provider {provider}: no agent of the config has it; {have}")


def _names(config: Config) -> str:
    return ", ".join(agent.name for agent in config.agents) or "none"
