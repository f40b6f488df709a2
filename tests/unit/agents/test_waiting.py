from collections.abc import Callable

import pytest

from agentlab_ci.agents.waiting import wait_for_answer
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.interrupts import Interrupts
from loopback import closed_port, hostile_agent

PATIENT = 60.0
"""Seconds; no test waits for them."""


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/404", 1),  # a server that runs, whatever it says
        ("/302", 1),
        ("/503-once", 2),
        ("/502-once", 2),
    ],
)
def test_any_answer_below_500_will_do(path: str, asked: int) -> None:
    with hostile_agent() as agent:
        wait_for_answer(agent.url(path), seconds=PATIENT, interrupts=Interrupts(), pause=0)
        assert agent.requests[path] == asked


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/500", "HTTP 500"), ("/drop", "GET: "), ("/garbage", "GET: "), ("/silence", "no answer yet")],
)
def test_the_message_says_what_was_seen_last(path: str, seen: str) -> None:
    with hostile_agent() as agent, pytest.raises(BadInputError) as told:
        wait_for_answer(agent.url(path) + "?token=hidden", seconds=0.2, interrupts=Interrupts())
    said = str(told.value)
    assert said.startswith(f"{agent.url(path)} did not answer with a status below 500 within 0.2 s; seen last: ")
    assert seen in said


def test_nobody_listens() -> None:
    with closed_port() as port, pytest.raises(BadInputError, match=r"seen last: .*connection"):
        wait_for_answer(f"http://127.0.0.1:{port}/", seconds=0.2, interrupts=Interrupts())


@pytest.mark.parametrize("url", ["localhost:3000", "ftp://localhost/", "http://"])
def test_what_is_no_url_is_not_asked(url: str) -> None:
    with pytest.raises(BadInputError, match="http:// or https://"):
        wait_for_answer(url, seconds=PATIENT, interrupts=Interrupts())


def test_a_signal_ends_the_wait() -> None:
    class Signalled(Interrupts):
        """The signal comes as soon as somebody listens for it."""

        def subscribe(self, subscriber: Callable[[], object] | None) -> None:
            if subscriber is not None:
                subscriber()

    with hostile_agent() as agent:
        wait_for_answer(agent.url("/silence"), seconds=PATIENT, interrupts=Signalled())


def test_after_a_signal_nothing_is_waited_for() -> None:
    interrupts = Interrupts()
    interrupts.exit_code = ExitCode.SIGTERM
    with hostile_agent() as agent:
        wait_for_answer(agent.url("/silence"), seconds=PATIENT, interrupts=interrupts)
        assert agent.requests.total() == 0
