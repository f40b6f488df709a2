import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentTurn, AgentWorld, Reply, SessionStart
from agentlab_ci.agents.mock import NO_REPLY, WRONG_REPLY, goes_wrong, open_mock_agent
from agentlab_ci.core.config import MockAgent
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief
from agentlab_ci.core.trace import Usage
from playbook_talk import brief_of

REPLIES = [
    {"contains": "Order", "reply": "It has shipped."},
    {"contains": "order status", "reply": "Never said: the first match answers."},
    {"contains": "STRASSE", "reply": "Noted."},
]


def mock(**more: Any) -> MockAgent:
    return MockAgent.model_validate({"name": "m", "provider": "mock"} | more)


def say(config: MockAgent, *messages: str, sample: int = 1, conversation_id: str = "c") -> list[Reply]:
    async def talk() -> list[Reply]:
        world = AgentWorld(environ={}, project=Path(), max_reply_bytes=1, tls=lambda: pytest.fail("no network"))
        agent = open_mock_agent(config, world)
        started = SessionStart(scenario_id="s.one", sample=sample, conversation_id=conversation_id)
        async with agent.session(started) as session:
            replies = [await session.send(message) for message in messages]
        await agent.aclose()
        return replies

    return asyncio.run(talk())


def work_on(config: MockAgent, brief: TaskBrief, *outcomes: CallOutcome, sample: int = 1) -> list[AgentTurn]:
    async def work() -> list[AgentTurn]:
        world = AgentWorld(environ={}, project=Path(), max_reply_bytes=1, tls=lambda: pytest.fail("no network"))
        agent = open_mock_agent(config, world)
        start = SessionStart(scenario_id="s.one", sample=sample, conversation_id="c")
        async with agent.task(start, brief) as session:
            return [await session.advance([])] + [await session.advance([outcome]) for outcome in outcomes]

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("where is my ORDER status?", "It has shipped."),
        ("I live in Hauptstraße", "Noted."),
        ("tell me a joke", NO_REPLY),
    ],
)
def test_the_first_reply_that_fits_answers(message: str, reply: str) -> None:
    assert say(mock(replies=REPLIES), message)[0].text == reply


def test_a_reply_without_contains_answers_everything() -> None:
    assert say(mock(replies=[{"reply": "Hello."}]), "anything", "")[1].text == "Hello."


def test_a_sample_that_fails_on_purpose_is_wrong_throughout() -> None:
    config = mock(replies=REPLIES, fail_samples=[2])
    assert [r.text for r in say(config, "order", "order", sample=2)] == [WRONG_REPLY, WRONG_REPLY]
    assert [r.text for r in say(config, "order", "order", sample=1)] == ["It has shipped.", "It has shipped."]


def test_every_draw_of_a_sample_behaves_alike() -> None:
    config = mock(replies=REPLIES, flake_rate=0.5)
    for sample in range(1, 20):
        assert [r.text for r in say(config, "order", sample=sample, conversation_id="one")] == [
            r.text for r in say(config, "order", sample=sample, conversation_id="two")
        ]


def draws(config: MockAgent, *, count: int = 2000, scenario_id: str = "s.one") -> list[bool]:
    return [goes_wrong(config, scenario_id=scenario_id, sample=sample) for sample in range(1, count + 1)]


def test_the_draw_is_the_same_for_ever() -> None:
    # golden: a change makes every demo and every user's scripted flake another one
    drawn = draws(mock(flake_rate=0.2, seed=7), count=30)
    assert [sample for sample, wrong in enumerate(drawn, start=1) if wrong] == [1, 7, 9, 25]


def test_flake_rate_is_about_the_share_that_goes_wrong() -> None:
    assert 350 <= sum(draws(mock(flake_rate=0.2))) <= 450
    assert not any(draws(mock(flake_rate=0.0)))
    assert all(draws(mock(flake_rate=1.0)))


def test_seed_and_scenario_each_make_another_draw() -> None:
    base = draws(mock(flake_rate=0.5))
    assert draws(mock(flake_rate=0.5, seed=1)) != base
    assert draws(mock(flake_rate=0.5), scenario_id="s.two") != base


def test_a_higher_rate_only_adds_wrong_samples() -> None:
    low, high = draws(mock(flake_rate=0.2)), draws(mock(flake_rate=0.4))
    assert all(wrong_at_high for wrong_at_low, wrong_at_high in zip(low, high, strict=True) if wrong_at_low)


def test_latency_is_what_really_passed() -> None:
    [reply] = say(mock(replies=REPLIES, latency_ms=20), "order")
    assert reply.latency_ms >= 15


CANCEL = brief_of("Cancel it.", {"subscriptions.cancel": []}, customer_id="cus_1")
CANCELLED = CallOutcome(name="subscriptions.cancel", output={"subscription_id": "sub_1", "status": "cancelled"})


@pytest.mark.parametrize("replies", [[], REPLIES, [{"reply": "Hello."}]])
def test_a_task_is_worked_on_by_playbook_whatever_is_scripted_for_messages(replies: list[dict[str, str]]) -> None:
    first, last = work_on(mock(replies=replies), CANCEL, CANCELLED)
    assert first.calls == (CallRequest(name="subscriptions.cancel", input={"customer_id": "cus_1"}),)
    assert (first.final, first.message) == (None, "Cancel the subscription of cus_1.")
    assert (last.final, last.calls, last.message) == ("Cancelled subscription sub_1 of cus_1.", (), None)
    assert first.usage == last.usage == Usage()


def test_a_task_that_goes_wrong_on_purpose_is_answered_wrongly_without_a_call() -> None:
    config = mock(fail_samples=[2])
    assert [turn.final for turn in work_on(config, CANCEL, sample=2)] == [WRONG_REPLY]
    assert [turn.final for turn in work_on(config, CANCEL, sample=1)] == [None]


def test_every_turn_of_a_task_takes_its_time() -> None:
    assert all(turn.latency_ms >= 15 for turn in work_on(mock(latency_ms=20), CANCEL, CANCELLED))
