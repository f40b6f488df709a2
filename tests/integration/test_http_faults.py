"""Upstreams that are degraded on purpose: the command, an agent on loopback that answers well, the results."""

from typing import Any

import pytest

from command import Ended, agentlab, conversation, write_project
from loopback import hostile_agent

FAULTS: dict[str, list[dict[str, Any]]] = {
    "busy-once": [{"mode": "status", "status": 503, "on_request": 1}],
    "dropped-once": [{"mode": "drop", "on_request": 1}],
    "dropped-twice": [{"mode": "drop", "on_request": 1}, {"mode": "drop", "on_request": 2}],
    "gone": [{"mode": "status", "status": 410}],
    "cut": [{"mode": "truncate"}],
    "slow": [{"mode": "delay", "delay_ms": 20}],
    "second-step": [{"mode": "status", "status": 500, "on_request": 2}],
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    with hostile_agent() as web:
        config = {
            "agents": [{"name": "web", "provider": "http", "url": web.url("/ok")}],
            "runtime_profiles": [{"name": name, "http_faults": faults} for name, faults in FAULTS.items()],
        }
        scenarios = [conversation(f"a.{name}", runtime_profile=name) for name in FAULTS]
        scenarios[-1]["steps"] *= 2
        return agentlab(write_project(tmp_path_factory.mktemp("faults"), config, scenarios), "run")


def sample_of(ended: Ended, name: str) -> dict[str, Any]:
    (sample,) = next(row["samples"] for row in ended.results["scenarios"] if row["scenario_id"] == f"a.{name}")
    return dict(sample)


def told(sample: dict[str, Any]) -> list[str]:
    return [event["text"] for event in sample["trace"] if event["kind"] == "fault"]


def test_each_ends_as_the_real_thing_would(ended: Ended) -> None:
    assert ended.code == 1
    assert ended.ends() == {
        "a.busy-once": [("passed", "completed")],
        "a.dropped-once": [("passed", "completed")],
        "a.dropped-twice": [("error", "http_connection_failed")],
        "a.gone": [("error", "http_error")],
        "a.cut": [("error", "invalid_response_format")],
        "a.slow": [("passed", "completed")],
        "a.second-step": [("error", "http_error")],
    }


def test_a_busy_status_is_waited_out_and_stands_in_the_trace(ended: Ended) -> None:
    busy = sample_of(ended, "busy-once")
    assert [wait["status"] for wait in busy["waits"]] == [503]
    assert told(busy) == ["request 1: status 503"]


def test_requests_are_counted_over_fresh_starts(ended: Ended) -> None:
    once, twice = sample_of(ended, "dropped-once"), sample_of(ended, "dropped-twice")
    assert ["(fault: drop)" in redraw["message"] for redraw in once["redraws"]] == [True]
    assert told(once) == ["request 1: drop"]
    assert told(twice) == ["request 1: drop", "request 2: drop"]


def test_nobody_blames_the_agent(ended: Ended) -> None:
    for name, fault in (("dropped-twice", "drop"), ("gone", "status 410"), ("cut", "truncate")):
        assert f"(fault: {fault})" in sample_of(ended, name)["error"]["message"]
        assert f"(fault: {fault})" in ended.out
    assert told(sample_of(ended, "slow")) == ["request 1: delay 20 ms"]
    assert "(fault: status 500)" in sample_of(ended, "second-step")["error"]["message"]
    assert len(sample_of(ended, "second-step")["turns"]) == 3
