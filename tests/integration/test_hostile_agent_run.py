"""The whole command against an agent that misbehaves in every way at once."""

from pathlib import Path

import pytest

from command import Ended, agentlab, agentlab_measured, conversation, start_python, wait_for, write_project
from loopback import closed_port, hostile_agent

ERROR_ENDS = {
    "/500": "http_error",  # its body holds the words that the scenario looks for
    "/404": "http_error",
    "/302": "http_error",
    "/429-for-a-day": "http_error",
    "/broken-json": "invalid_response_format",
    "/html": "invalid_response_format",
    "/missing-field": "invalid_response_format",
    "/empty-body": "invalid_response_format",
    "/big": "invalid_response_format",
    "/bomb": "invalid_response_format",
    "/brotli": "invalid_response_format",
    "/drop": "http_connection_failed",
    "/garbage": "invalid_response_format",
    "/long-headers": "invalid_response_format",
    "/stall": "timeout_exceeded",
    "/silence": "timeout_exceeded",
    "/trickle": "timeout_exceeded",
    "/trickle-headers": "timeout_exceeded",
}
PASSES = ("/ok", "/429-once", "/503-once", "/502-once", "/gzip", "/cookie-value-not-ascii")
ANSWER_MS = 40_000
"""Time for what answers, which a busy machine may need; what never ends gets little, for it takes all it gets."""
NEVER_MS = 1000
FAILS = ("/empty-reply", "/latin-1")  # answers, though not the expected ones


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, int]:
    folder = tmp_path_factory.mktemp("hostile")
    with hostile_agent() as agent, closed_port() as nobody:
        # One answer first, so that a route that never connects is not taken for an agent that is not there.
        routes = [*PASSES, *FAILS, *ERROR_ENDS]
        agents = [
            {
                "name": route[1:],
                "provider": "http",
                "url": agent.url(route),
                "timeout_ms": NEVER_MS if ERROR_ENDS.get(route) == "timeout_exceeded" else ANSWER_MS,
            }
            for route in routes
        ]
        agents.append({"name": "nobody", "provider": "http", "url": f"http://127.0.0.1:{nobody}/"})
        scenarios = [conversation(f"a.{item['name']}", agent=item["name"]) for item in agents]
        two_steps = next(item for item in scenarios if item["agent"] == "cookie-value-not-ascii")
        two_steps["steps"] = [{"role": "user", "message": "Hello"}, {"role": "user", "message": "Hello again"}]
        config = {"agents": agents, "concurrency": 32, "sample_timeout_seconds": 50}
        return agentlab_measured(write_project(folder, config, scenarios), "run")


@pytest.fixture(scope="module")
def ended(measured: tuple[Ended, int]) -> Ended:
    return measured[0]


def test_the_command_ends_with_the_verdict(ended: Ended) -> None:
    assert ended.code == 1
    assert "Traceback" not in ended.out + ended.err
    assert list(ended.ends()) == [f"a.{route[1:]}" for route in [*PASSES, *FAILS, *ERROR_ENDS]] + ["a.nobody"]


@pytest.mark.parametrize("route", PASSES)
def test_an_answer_that_came_in_the_end_is_judged(ended: Ended, route: str) -> None:
    assert ended.ends()[f"a.{route[1:]}"] == [("passed", "completed")]


@pytest.mark.parametrize("route", FAILS)
def test_a_wrong_answer_is_a_failure(ended: Ended, route: str) -> None:
    assert ended.ends()[f"a.{route[1:]}"] == [("failed", "evaluator_failed")]


@pytest.mark.parametrize(("route", "reason"), ERROR_ENDS.items())
def test_what_is_no_answer_is_an_error_and_never_judged(ended: Ended, route: str, reason: str) -> None:
    (row,) = [row for row in ended.results["scenarios"] if row["scenario_id"] == f"a.{route[1:]}"]
    (sample,) = row["samples"]
    # With one sample, an agent that never took a connection counts as unreachable.
    reasons = {reason, "agent_unreachable"} if reason == "http_connection_failed" else {reason}
    assert (sample["status"], sample["termination_reason"] in reasons) == ("error", True), sample
    assert sample["evaluations"] == []
    assert sample["error"]["message"]


def test_an_agent_that_is_busy_for_ever_costs_the_samples_time(tmp_path: Path) -> None:
    with hostile_agent() as agent:
        busy = {"name": "busy", "provider": "http", "url": agent.url("/429-for-ever"), "timeout_ms": ANSWER_MS}
        config = {"agents": [busy], "sample_timeout_seconds": 3}  # long before the two minutes of waiting are over
        ended = agentlab(write_project(tmp_path, config, [conversation("a.busy")]), "run")
    assert ended.ends() == {"a.busy": [("error", "timeout_exceeded")]}


def test_nobody_listening_is_said_so(ended: Ended) -> None:
    assert ended.ends()["a.nobody"] == [("error", "agent_unreachable")]


def test_memory_stays_bounded(measured: tuple[Ended, int]) -> None:
    assert measured[1] < 200


SLOW_LOOKUP = """
import pathlib, socket, sys, time
real = socket.getaddrinfo
def slow(host, *args, **kwargs):
    if host in ("slow.invalid", b"slow.invalid"):
        time.sleep(30)
        pathlib.Path("looked-up").touch()
    return real(host, *args, **kwargs)
socket.getaddrinfo = slow
from agentlab_ci.cli.main import main
sys.argv = ["agentlab", "run"]
main()
"""


def test_a_name_that_does_not_resolve_holds_nothing_up(tmp_path: Path) -> None:
    agent = {"name": "slow", "provider": "http", "url": "http://slow.invalid/", "timeout_ms": 200}
    folder = write_project(tmp_path, {"agents": [agent]}, [conversation("a.slow")])
    (folder / "slow.py").write_text(SLOW_LOOKUP, encoding="utf-8")
    ended = wait_for(start_python(folder, "slow.py"), folder)
    assert ended.code == 1
    assert ended.ends() == {"a.slow": [("error", "timeout_exceeded")]}
    assert not (folder / "looked-up").exists(), "the process ended before the look-up did"
