"""Requests that go wrong on purpose: which ones, and what becomes of them at an agent that answers well."""

import asyncio
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.http import open_http_agent
from agentlab_ci.agents.http_faults import HttpFaults, Received, name_fault, receive
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply
from agentlab_ci.agents.openai import open_openai_agent
from agentlab_ci.core.config import HttpFault, RuntimeProfile
from http_talk import config, start, world
from loopback import HostileAgent, hostile_agent
from openai_talk import keyed_world, model
from virtual_time import run_virtually


def profile(*faults: dict[str, Any], seed: int = 0) -> RuntimeProfile:
    return RuntimeProfile.model_validate({"name": "p", "seed": seed, "http_faults": faults})


def faults_of(it: RuntimeProfile | None, *, sample: int = 1) -> HttpFaults:
    return HttpFaults(it, scenario_id="a.one", sample=sample)


def modes(faults: HttpFaults, requests: int) -> list[str | None]:
    found = [faults.strike() for _ in range(requests)]
    return [fault.mode if fault else None for fault in found]


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ([], [None, None, None]),
        ([{"mode": "drop"}], ["drop", "drop", "drop"]),
        ([{"mode": "drop", "on_request": 2}], [None, "drop", None]),
        ([{"mode": "drop", "probability": 0}, {"mode": "truncate"}], ["truncate"] * 3),
        ([{"mode": "drop", "on_request": 3}, {"mode": "truncate"}], ["truncate", "truncate", "drop"]),
        ([{"mode": "truncate"}, {"mode": "drop", "on_request": 3}], ["truncate"] * 3),  # the first wins
    ],
)
def test_which_requests_suffer(faults: list[dict[str, Any]], expected: list[str | None]) -> None:
    assert modes(faults_of(profile(*faults)), 3) == expected


def test_without_a_profile_nothing_goes_wrong() -> None:
    assert modes(faults_of(None), 3) == [None, None, None]


@settings(derandomize=True, deadline=None)
@given(random=st.randoms(use_true_random=False), seed=st.integers(-5, 5))
def test_the_same_seed_gives_the_same_faults_in_any_order(random: Random, seed: int) -> None:
    often = profile({"mode": "drop", "probability": 0.4}, {"mode": "truncate", "probability": 0.4}, seed=seed)
    in_turn = {sample: modes(faults_of(often, sample=sample), 5) for sample in range(1, 6)}
    running = {sample: faults_of(often, sample=sample) for sample in in_turn}
    mixed: dict[int, list[str | None]] = {sample: [] for sample in in_turn}
    for sample in random.sample([*in_turn] * 5, 25):
        mixed[sample] += modes(running[sample], 1)
    assert mixed == in_turn
    other = {
        sample: modes(faults_of(often.model_copy(update={"seed": 99}), sample=sample), 5) for sample in in_turn
    }
    assert other != in_turn


def test_a_draw_hangs_on_seed_scenario_sample_fault_and_request() -> None:
    def drawn(seed: int = 0, scenario: str = "a.one", sample: int = 1, place: int = 1) -> list[str | None]:
        never = [{"mode": "drop", "probability": 0}] * (place - 1)
        half = profile(*never, {"mode": "drop", "probability": 0.5}, seed=seed)
        return modes(HttpFaults(half, scenario_id=scenario, sample=sample), 20)

    draws = [drawn(), drawn(seed=1), drawn(scenario="a.two"), drawn(sample=2), drawn(place=2)]
    assert all("drop" in draw and None in draw for draw in draws)
    assert len({tuple(draw) for draw in draws}) == len(draws)


def talk(web: HostileAgent, fault: HttpFault, *, provider: str = "http", timeout_ms: int = 20_000) -> Reply:
    """Say hello to an agent that answers well, in a sample of which each request suffers the fault."""
    started = replace(start(), next_fault=lambda: fault)

    async def say() -> Reply:
        if provider == "http":
            agent: Any = open_http_agent(config(web.url("/ok"), timeout_ms=timeout_ms), world())
        else:
            agent = open_openai_agent(model(web.url("/v1"), timeout_ms=timeout_ms), keyed_world())
        try:
            async with agent.session(started) as session:
                reply: Reply = await session.send("hello")
                return reply
        finally:
            async with agent.session(start()) as session:
                assert "hello" in (await session.send("next")).text, "the next sample suffers nothing"
            await agent.aclose()

    return asyncio.run(say())


def suffer(fault: dict[str, Any], **how: Any) -> tuple[Exception, int]:
    """Return what comes of the fault, and how many requests reached the agent before the next sample's."""
    with hostile_agent() as web:
        with pytest.raises((AgentFailedError, AgentBusyError)) as raised:
            talk(web, HttpFault.model_validate(fault), **how)
        return raised.value, sum(web.requests.values()) - 1


@pytest.mark.parametrize("provider", ["http", "openai"])
@pytest.mark.parametrize(
    ("fault", "end", "said"),
    [  # the reason, whether it may be drawn again, and how many requests were sent
        ({"mode": "status", "status": 500}, ("http_error", False, 0), "(fault: status 500) answered HTTP 500"),
        ({"mode": "status", "status": 502}, ("http_error", True, 0), "(fault: status 502) answered HTTP 502"),
        ({"mode": "drop"}, ("http_connection_failed", True, 0), "(fault: drop): the connection broke"),
        ({"mode": "truncate"}, ("invalid_response_format", False, 1), "(fault: truncate): the reply is not JSON"),
    ],
)
def test_a_fault_is_what_the_real_thing_would_be(
    provider: str, fault: dict[str, Any], end: tuple[str, bool, int], said: str
) -> None:
    failure, sent = suffer(fault, provider=provider)
    assert isinstance(failure, AgentFailedError)
    assert (failure.reason, failure.redrawable, sent) == end
    assert not failure.unreached
    assert said in failure.message


@pytest.mark.parametrize("provider", ["http", "openai"])
def test_a_status_that_says_busy_is_waited_out(provider: str) -> None:
    busy, requests = suffer({"mode": "status", "status": 503}, provider=provider)
    assert isinstance(busy, AgentBusyError)
    assert (busy.status, busy.retry_after, requests) == (503, None, 0)
    assert busy.body == "fault: status 503, by the runtime profile; the request was not sent"


def test_a_delay_comes_before_the_request_and_counts() -> None:
    with hostile_agent() as web:
        reply = talk(web, HttpFault(mode="delay", delay_ms=30))
    assert "hello" in reply.text
    assert reply.latency_ms >= 30


def test_a_delay_that_is_longer_than_the_agents_time_ends_the_request() -> None:
    failure, requests = suffer({"mode": "delay", "delay_ms": 86_400_000}, timeout_ms=300)
    assert isinstance(failure, AgentFailedError)
    assert failure.reason == "timeout_exceeded"
    assert "(fault: delay 86400000 ms): no complete answer within 300 ms" in failure.message
    assert requests == 0


def test_half_of_a_body_is_left() -> None:
    async def send() -> Received:
        return Received(status=200, headers={"A": "b"}, body=b"12345")

    received, _ = run_virtually(receive(send, HttpFault(mode="truncate")))
    assert received == Received(status=200, headers={"A": "b"}, body=b"12")


def test_faults_have_names() -> None:
    assert name_fault(HttpFault(mode="delay", delay_ms=5)) == "delay 5 ms"
    assert name_fault(HttpFault(mode="truncate")) == "truncate"
