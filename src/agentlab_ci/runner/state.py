"""What the conversations of a row's samples begin with, and what of one is still there in the next."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.core.config import AgentConfig, ProfileState, RuntimeProfile, SeededMessage
from agentlab_ci.core.history import keeps_own_history, messages_to_say
from agentlab_ci.core.results import VariantIdentity
from agentlab_ci.core.scenario import Scenario, ScenarioType

_NAMESPACE = uuid.UUID("5f0c3c0e-63c5-4d3f-9d0a-6f3f0f3c8a51")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What one draw of a sample begins with.

    `seeds` are put into the history that the agent is told, before what earlier samples `kept` there. `to_say` is
    said by the user before the first step, to an agent that keeps its own history.
    """

    conversation_id: str
    seeds: tuple[SeededMessage, ...] = ()
    kept: tuple[Mapping[str, str], ...] = ()
    to_say: tuple[str, ...] = ()

    @property
    def history(self) -> tuple[Mapping[str, str], ...]:
        """What was said before, as entries of `messages`."""
        return (*({"role": seed.role, "content": seed.message} for seed in self.seeds), *self.kept)


class RowState:
    """The state of a row, as its profile has it; without one each sample begins with nothing.

    With `reset: per_run` a sample shares nothing. With `per_variant_run` and `manual` the samples of a scenario
    are one conversation: they have the same conversation_id and history, so they must not run at once. The id of
    `manual` is the same in every run of the scenario on the agent or the variant.
    """

    def __init__(
        self,
        profile: RuntimeProfile | None,
        *,
        scenario: Scenario,
        agent: AgentConfig,
        variant: VariantIdentity | None,
    ) -> None:
        state = (profile.state if profile else None) or ProfileState()
        talks = scenario.type is not ScenarioType.TASK
        self.memory: Mapping[str, Any] = state.memory_blob
        self.shared = talks and state.reset != "per_run"
        """Whether the row's samples must run one after the other."""
        self._told = talks and not keeps_own_history(agent)
        self._seeds = state.seeded_messages if self._told else ()
        self._to_say = messages_to_say(profile, agent)
        fixed = (scenario.id, agent.name, *((variant.variant_set_name, variant.variant_label) if variant else ()))
        self._id = _choose_id(state, fixed) if self.shared else None
        self._kept: list[Mapping[str, str]] = []

    def open(self) -> Opening:
        """Return what the next draw begins with."""
        return Opening(
            conversation_id=self._id or str(uuid.uuid4()),
            seeds=self._seeds,
            kept=tuple(self._kept),
            to_say=self._to_say,
        )

    def note_said(self) -> None:
        """Note that the agent has answered all that was to say; it is not said again in the same conversation."""
        if self.shared:
            self._to_say = ()

    def keep(self, message: str, answer: str) -> None:
        """Keep a turn for the samples after this one, if they share its history."""
        if self.shared and self._told:
            self._kept += [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]


def _choose_id(state: ProfileState, fixed: tuple[str, ...]) -> str:
    return str(uuid.uuid5(_NAMESPACE, json.dumps(fixed)) if state.reset == "manual" else uuid.uuid4())
