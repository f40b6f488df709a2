"""Opening agents and models for a run: what they share is made once, and only if one of them needs it."""

import asyncio
import ssl
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from agentlab_ci.agents.interface import Agent, AgentWorld, ChatModel, SimulationModels
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import AgentConfig, ModelEndpoint
from agentlab_ci.errors import BadInputError


def make_agent_opener(
    *,
    environ: Mapping[str, str],
    project: Path,
    max_reply_bytes: int,
    mask: Callable[[str], str],
) -> Callable[[AgentConfig], Agent]:
    """Return the function that opens an agent for one worker slot; `mask` takes the secrets out of a text."""
    world = _make_world(environ=environ, project=project, max_reply_bytes=max_reply_bytes, mask=mask)
    return lambda config: AGENTS[config.provider](config, world)


def make_models_opener(
    simulator: ModelEndpoint | None,
    judge: ModelEndpoint | None,
    *,
    environ: Mapping[str, str],
    project: Path,
    max_reply_bytes: int,
    mask: Callable[[str], str],
) -> Callable[[], SimulationModels]:
    """Return the function that opens the models of simulations for one worker slot.

    It raises one BadInputError with all that stands against either, a line each; a section that the config does
    not have among them.
    """
    world = _make_world(environ=environ, project=project, max_reply_bytes=max_reply_bytes, mask=mask)

    def open_models() -> SimulationModels:
        opened: list[ChatModel] = []
        reasons = []
        for role, config in (("simulator", simulator), ("judge", judge)):
            try:
                opened.append(_open_model(config, world, role))
            except BadInputError as problem:
                reasons.append(str(problem))
        if reasons:
            raise BadInputError("\n".join(reasons))
        return SimulationModels(simulator=opened[0], judge=opened[1])

    return open_models


def make_judge_opener(
    judge: ModelEndpoint | None,
    *,
    environ: Mapping[str, str],
    project: Path,
    max_reply_bytes: int,
    mask: Callable[[str], str],
) -> Callable[[], ChatModel]:
    """Return the function that opens the judge alone for one slot; it raises BadInputError as that for both."""
    world = _make_world(environ=environ, project=project, max_reply_bytes=max_reply_bytes, mask=mask)
    return lambda: _open_model(judge, world, "judge")


def check_agents(configs: Iterable[AgentConfig], open_agent: Callable[[AgentConfig], Agent]) -> list[str]:
    """Open each agent once, close it, and return why some cannot be opened, each reason once.

    Nothing is sent. What the environment says of proxies and certificates is read here for the first time.
    """
    return asyncio.run(_open_and_close(configs, open_agent))


def check_models(open_models: Callable[[], SimulationModels]) -> list[str]:
    """Open the models of simulations once, close them, and return why they cannot be opened. Nothing is sent."""
    return asyncio.run(_open_and_close_models(open_models))


async def _open_and_close(configs: Iterable[AgentConfig], open_agent: Callable[[AgentConfig], Agent]) -> list[str]:
    reasons = []
    for config in configs:
        try:
            agent = open_agent(config)
        except BadInputError as problem:
            reasons.append(str(problem))
        else:
            await agent.aclose()
    return list(dict.fromkeys(reasons))


async def _open_and_close_models(open_models: Callable[[], SimulationModels]) -> list[str]:
    try:
        models = open_models()
    except BadInputError as problem:
        return list(dict.fromkeys(str(problem).splitlines()))
    await models.simulator.aclose()
    await models.judge.aclose()
    return []


def _open_model(config: ModelEndpoint | None, world: AgentWorld, role: str) -> ChatModel:
    from agentlab_ci.agents.model import open_model  # noqa: PLC0415 - httpx takes 0.1 s to import

    if config is None:
        raise BadInputError(
            f"simulations need a `{role}` in the config: add `{role}: {{model: …}}`, "
            "and `base_url` and `api_key_env` where the model is not OpenAI's"
        )
    return open_model(config, world, role=role)


def _make_world(
    *, environ: Mapping[str, str], project: Path, max_reply_bytes: int, mask: Callable[[str], str]
) -> AgentWorld:
    return AgentWorld(
        environ=environ,
        project=project,
        max_reply_bytes=max_reply_bytes,
        tls=cache(_read_trusted_authorities),
        mask=mask,
    )


def _read_trusted_authorities() -> ssl.SSLContext:
    from agentlab_ci.agents.http_client import read_trusted_authorities  # noqa: PLC0415 - imports httpx

    return read_trusted_authorities()
