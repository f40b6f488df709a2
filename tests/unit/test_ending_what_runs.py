"""Work that a signal ends where it is."""

import signal

import pytest

from agentlab_ci.errors import ExitCode, InterruptedRunError
from agentlab_ci.interrupts import Interrupts


def test_a_signal_is_raised_where_the_work_is() -> None:
    interrupts = Interrupts()
    with pytest.raises(InterruptedRunError) as caught, interrupts.ending_what_runs():
        interrupts.note(signal.SIGTERM)
    assert caught.value.exit_code is interrupts.exit_code is ExitCode.SIGTERM


def test_after_a_signal_nothing_is_begun() -> None:
    interrupts = Interrupts()
    interrupts.note(signal.SIGINT)
    with pytest.raises(InterruptedRunError), interrupts.ending_what_runs():
        pytest.fail("the work began")


def test_afterwards_a_signal_is_only_noted() -> None:
    interrupts = Interrupts()
    with interrupts.ending_what_runs():
        pass
    interrupts.note(signal.SIGTERM)
    assert interrupts.exit_code is ExitCode.SIGTERM
