"""What conversations begin with, and what lasts from one sample to the next: in virtual time, as agents see it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply, SessionStart
from agentlab_ci.core.config import AgentConfig, HttpAgent
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario
from agentlab_ci.core.trace import Usage
from agentlab_ci.runner.describe import describe_plan
from agentlab_ci.runner.engine import execute
from agentlab_ci.runner.ledger import Ledger
from scripted_agent import Performance, Stage, make_config, make_mock, make_scenario, plan_of
from scripted_task import spec
from virtual_time import run_virtually

SEEDS = [
    {"role": "system", "message": "You are a travel agent."},
    {"role": "user", "message": "I like aisle seats."},
    {"role": "assistant", "message": "Noted."},
    {"role": "user", "message": "I am Ada."},
]
AS_HISTORY = tuple({"role": seed["role"], "content": seed["message"]} for seed in SEEDS)
TOLD = make_mock("told")
"""Stands for agents that are told the history."""
KEEPS = HttpAgent(name="keeps", provider=Provider.HTTP, url="http://localhost:3000/chat")
"""Keeps its own."""
SENT = KEEPS.model_copy(update={"request_template": {"all": ["{{messages}}"]}})


@dataclass
class Listener:
    """An agent that remembers how its sessions started and what they were told; `script` may fail a message."""

    script: Callable[[str, int], Exception | None] = lambda _message, _time: None
    starts: list[SessionStart] = field(default_factory=list)
    heard: list[tuple[str, str]] = field(default_factory=list)
    """Conversation and message, in order."""
    times: dict[str, int] = field(default_factory=dict)
    talking: int = 0
    most_talking: int = 0

    @asynccontextmanager
    async def session(self, start: SessionStart) -> AsyncIterator["ListenerSession"]:
        self.starts.append(start)
        self.talking += 1
        self.most_talking = max(self.talking, self.most_talking)
        yield ListenerSession(self, start.conversation_id)
        self.talking -= 1

    async def aclose(self) -> None:
        """Do nothing."""

    @property
    def ids(self) -> list[str]:
        return [start.conversation_id for start in self.starts]

    @property
    def messages(self) -> list[str]:
        return [message for _, message in self.heard]


@dataclass
class ListenerSession:
    listener: Listener
    conversation_id: str

    async def send(self, message: str) -> Reply:
        await asyncio.sleep(1)
        listener = self.listener
        listener.times[message] = listener.times.get(message, 0) + 1
        problem = listener.script(message, listener.times[message])
        if problem is not None:
            listener.talking -= isinstance(problem, AgentFailedError)
            raise problem
        listener.heard.append((self.conversation_id, message))
        return Reply(text=f"good: {message}", latency_ms=1000, usage=Usage(cost_usd=0.5))


def perform(
    agent: AgentConfig,
    state: Mapping[str, Any] | None,
    *,
    listener: Listener | None = None,
    scenarios: tuple[Scenario, ...] = (),
    **settings: Any,
) -> tuple[Listener, tuple[ScenarioResult, ...]]:
    """Run scenarios under a profile with this state; without any, one of two steps."""
    config = make_config(agent, runtime_profiles=[{"name": "p", "state": state}])
    plan = plan_of(*scenarios or (talk(),), config=config, **{"samples": 3, "concurrency": 8} | settings)
    heard = listener or Listener()
    show = Performance(plan, Stage(script=lambda *_: pytest.fail("another agent talks")))
    ledger = Ledger(plan)
    run_virtually(execute(plan, ledger, replace(show.world, open_agent=lambda _: heard)))
    return heard, ledger.judge_all()


def talk(scenario_id: str = "a.one") -> Scenario:
    return make_scenario(scenario_id, steps=2, runtime_profile="p", evaluators=(spec("step_count_max", max=2),))


STEPS = ["step 1", "step 2"]


@pytest.mark.parametrize("agent", [TOLD, SENT], ids=["mock", "http with messages"])
def test_seeds_stand_in_the_history_of_an_agent_that_is_told_it(agent: AgentConfig) -> None:
    listener, (row,) = perform(agent, {"seeded_messages": SEEDS, "memory_blob": {"seat": "aisle"}})
    assert [start.history for start in listener.starts] == [AS_HISTORY] * 3
    assert [start.memory for start in listener.starts] == [{"seat": "aisle"}] * 3
    assert len(set(listener.ids)) == 3
    assert sorted(listener.messages) == sorted(STEPS * 3), "seeds are not said"
    seen = [event.text for event in row.samples[0].trace if event.kind == "seed"]
    assert seen == [f"{seed['role']}: {seed['message']}" for seed in SEEDS]
    assert row.passed == 3, "they are no turns"


def test_the_users_seeds_are_said_to_an_agent_that_keeps_its_own_history() -> None:
    listener, (row,) = perform(KEEPS, {"seeded_messages": SEEDS}, samples=1)
    assert listener.messages == ["I like aisle seats.", "I am Ada.", *STEPS]
    assert listener.starts[0].history == ()
    (sample,) = row.samples
    assert (sample.status, len(sample.turns)) == ("passed", 4), "at most 2 turns, by its evaluator"
    assert sample.usage.cost_usd == 2.0, "what they cost is counted"
    assert [event.text for event in sample.trace if event.kind == "seed"] == [
        "user: I like aisle seats.",
        "agent: good: I like aisle seats.",
        "user: I am Ada.",
        "agent: good: I am Ada.",
    ]


def test_answers_to_seeds_are_not_judged() -> None:
    bad_seed = [{"role": "user", "message": "say what you like"}]
    _, (row,) = perform(KEEPS, {"seeded_messages": bad_seed}, samples=1)
    assert [evaluation.step for evaluation in row.samples[0].evaluations] == [1, 2, None]


def test_a_seed_that_gets_no_answer_is_an_error_and_a_busy_agent_is_waited_for() -> None:
    gone = AgentFailedError("gone", reason=TerminationReason.HTTP_ERROR)
    listener = Listener(script=lambda message, _: gone if message == "I am Ada." else None)
    _, (row,) = perform(KEEPS, {"seeded_messages": SEEDS}, listener=listener, samples=1)
    assert row.samples[0].termination_reason == "http_error"
    busy = AgentBusyError(status=503, retry_after=4, body="")
    listener = Listener(script=lambda message, time: busy if (message, time) == ("I am Ada.", 1) else None)
    _, (row,) = perform(KEEPS, {"seeded_messages": SEEDS}, listener=listener, samples=1)
    assert (row.samples[0].status, [wait.seconds for wait in row.samples[0].waits]) == ("passed", [4])


def test_samples_share_nothing_unless_that_is_said() -> None:
    listener, _ = perform(TOLD, None)
    assert len(set(listener.ids)) == 3
    assert listener.most_talking == 3
    assert {(start.history, len(start.memory)) for start in listener.starts} == {((), 0)}


@pytest.mark.parametrize("state", [{"seeded_messages": SEEDS}, {"seeded_messages": SEEDS, "reset": "per_run"}])
def test_per_run_begins_afresh_with_every_sample(state: dict[str, Any]) -> None:
    told, _ = perform(TOLD, state, concurrency=1)
    assert [start.history for start in told.starts] == [AS_HISTORY] * 3
    keeps, _ = perform(KEEPS, state, concurrency=1)
    assert keeps.messages == ["I like aisle seats.", "I am Ada.", *STEPS] * 3
    assert len(set(told.ids)) == len(set(keeps.ids)) == 3


def turns(*messages: str) -> tuple[Mapping[str, str], ...]:
    return tuple(
        turn
        for message in messages
        for turn in ({"role": "user", "content": message}, {"role": "assistant", "content": f"good: {message}"})
    )


def test_per_variant_run_is_one_conversation_for_an_agent_that_is_told_the_history() -> None:
    listener, (row,) = perform(TOLD, {"reset": "per_variant_run", "seeded_messages": SEEDS})
    assert len(set(listener.ids)) == 1
    assert listener.most_talking == 1
    assert [start.history for start in listener.starts] == [
        AS_HISTORY,
        AS_HISTORY + turns(*STEPS),
        AS_HISTORY + turns(*STEPS, *STEPS),
    ]
    again, _ = perform(TOLD, {"reset": "per_variant_run"})
    assert listener.ids[0] != again.ids[0], "another run is another conversation"
    seen = [sum(event.kind == "seed" for event in sample.trace) for sample in row.samples]
    assert seen == [4, 4, 4], "what earlier samples said is not told again"


def test_per_variant_run_is_seeded_once_where_the_agent_keeps_its_own_history() -> None:
    listener, _ = perform(KEEPS, {"reset": "per_variant_run", "seeded_messages": SEEDS})
    assert len(set(listener.ids)) == 1
    assert listener.most_talking == 1
    assert listener.messages == ["I like aisle seats.", "I am Ada.", *STEPS, *STEPS, *STEPS]
    assert {start.history for start in listener.starts} == {()}


def test_seeds_are_said_again_until_one_sample_has_said_them_all() -> None:
    broke = AgentFailedError("broke", reason=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True)
    listener = Listener(script=lambda message, time: broke if (message, time) == ("I am Ada.", 1) else None)
    _, (row,) = perform(
        KEEPS, {"reset": "per_variant_run", "seeded_messages": SEEDS}, listener=listener, samples=2
    )
    assert listener.messages == ["I like aisle seats.", "I like aisle seats.", "I am Ada.", *STEPS, *STEPS]
    assert len(set(listener.ids)) == 1, "a fresh start goes on in the same conversation"
    assert row.passed == 2


def test_each_scenario_and_variant_has_a_conversation_of_its_own() -> None:
    listener, _ = perform(TOLD, {"reset": "per_variant_run"}, scenarios=(talk("a.one"), talk("a.two")), samples=2)
    assert len(set(listener.ids)) == 2
    assert listener.most_talking == 2, "scenarios run side by side"


def test_manual_is_the_same_conversation_in_every_run_of_a_scenario_on_an_agent() -> None:
    state = {"reset": "manual", "seeded_messages": SEEDS}
    first, _ = perform(TOLD, state)
    again, _ = perform(TOLD, state)
    assert len(set(first.ids)) == 1
    assert first.ids == again.ids
    assert first.most_talking == 1
    assert [len(start.history) for start in first.starts] == [4, 8, 12]
    other, _ = perform(make_mock("other"), state)
    elsewhere, _ = perform(TOLD, state, scenarios=(talk("a.two"),))
    assert len({listener.ids[0] for listener in (first, other, elsewhere)}) == 3


def test_manual_never_says_seeds() -> None:
    listener, _ = perform(KEEPS, {"reset": "manual", "seeded_messages": SEEDS})
    assert listener.messages == STEPS * 3


def test_stopping_when_settled_stops_a_shared_conversation_too() -> None:
    listener, (row,) = perform(TOLD, {"reset": "per_variant_run"}, samples=5, rate="0.6", stop_when_settled=True)
    assert [sample.status for sample in row.samples] == ["passed"] * 3 + ["cancelled"] * 2
    assert len(listener.starts) == 3


def test_the_plan_counts_what_has_to_be_said_and_names_the_profile() -> None:
    config = make_config(KEEPS, runtime_profiles=[{"name": "p", "state": {"seeded_messages": SEEDS}}])
    assert describe_plan(plan_of(talk(), config=config)) == [
        "a.one: 1 sample, agent keeps, profile p",
        "1 scenario, 1 sample, at most 8 agent calls; nothing was called",
    ]
