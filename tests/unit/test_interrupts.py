"""Which signals are taken over, and what they count as."""

import os
import signal
from collections.abc import Iterator

import pytest

from agentlab_ci.errors import ExitCode
from agentlab_ci.interrupts import Interrupts

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_handlers")
def test_a_terminal_that_is_gone_is_a_termination() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    interrupts = Interrupts()
    interrupts.install(lambda: None)
    assert signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL
    os.kill(os.getpid(), signal.SIGHUP)
    assert interrupts.exit_code is ExitCode.SIGTERM


@pytest.mark.usefixtures("_handlers")
def test_what_nohup_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts = Interrupts()
    interrupts.install(lambda: None)
    os.kill(os.getpid(), signal.SIGHUP)
    assert interrupts.exit_code is None
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_terminal_that_says_it_often_does_not_insist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "_exit", lambda code: pytest.fail(f"ended at once with {code}"))
    interrupts = Interrupts()
    for _ in range(5):
        interrupts.note(signal.SIGHUP)
    assert (interrupts.count, interrupts.exit_code) == (1, ExitCode.SIGTERM)
