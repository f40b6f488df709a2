"""From verdicts to the exit code."""

from itertools import product

import pytest

from agentlab_ci.core.gate import FailOn, decide_exit_code
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNFINISHED


@pytest.mark.parametrize(
    ("gating", "plain", "require_finished", "never"),
    [
        ([], ExitCode.OK, ExitCode.OK, ExitCode.OK),  # none gating
        ([P], ExitCode.OK, ExitCode.OK, ExitCode.OK),
        ([F], ExitCode.BELOW_BAR, ExitCode.BELOW_BAR, ExitCode.OK),
        ([P, F, U], ExitCode.BELOW_BAR, ExitCode.BELOW_BAR, ExitCode.OK),  # 1 wins over 3
        ([U], ExitCode.NO_VERDICT, ExitCode.NO_VERDICT, ExitCode.NO_VERDICT),  # nothing got a verdict
        ([U, U], ExitCode.NO_VERDICT, ExitCode.NO_VERDICT, ExitCode.NO_VERDICT),
        ([P, U], ExitCode.OK, ExitCode.NO_VERDICT, ExitCode.OK),
    ],
)
def test_exit_code(gating: list[Verdict], plain: ExitCode, require_finished: ExitCode, never: ExitCode) -> None:
    assert decide_exit_code(gating, judged=3) is plain
    assert decide_exit_code(gating, judged=3, require_finished=True) is require_finished
    assert decide_exit_code(gating, judged=3, fail_on=FailOn.NEVER) is never


@pytest.mark.parametrize("signal", [ExitCode.SIGINT, ExitCode.SIGTERM])
@pytest.mark.parametrize("fail_on", FailOn)
def test_an_interruption_wins_over_everything(signal: ExitCode, fail_on: FailOn) -> None:
    for gating in ([P], [F], [U], [P, F, U], []):
        assert (
            decide_exit_code(gating, judged=3, require_finished=True, fail_on=fail_on, ended_by=signal) is signal
        )


def test_code_1_means_a_scenario_below_the_bar_and_nothing_else() -> None:
    for length in range(4):
        for gating in product((P, F, U), repeat=length):
            for require_finished in (False, True):
                code = decide_exit_code(gating, judged=3, require_finished=require_finished)
                assert (code is ExitCode.BELOW_BAR) == (F in gating)


@pytest.mark.parametrize(
    ("gating", "not_judged", "regressed", "plain", "require_finished"),
    [
        ([P, F], 0, False, ExitCode.OK, ExitCode.OK),  # below the bar, as it was before
        ([P, F], 0, True, ExitCode.BELOW_BAR, ExitCode.BELOW_BAR),
        ([P], 0, True, ExitCode.BELOW_BAR, ExitCode.BELOW_BAR),  # a hard gate was lost within the bar
        ([P, F], 1, False, ExitCode.OK, ExitCode.NO_VERDICT),  # errors alone: nobody knows whether it regressed
        ([F, F], 2, False, ExitCode.NO_VERDICT, ExitCode.NO_VERDICT),
        ([F, U], 1, False, ExitCode.NO_VERDICT, ExitCode.NO_VERDICT),
        ([F, U], 1, True, ExitCode.BELOW_BAR, ExitCode.BELOW_BAR),  # 1 wins over 3
    ],
)
def test_exit_code_by_baseline(
    gating: list[Verdict], not_judged: int, regressed: bool, plain: ExitCode, require_finished: ExitCode
) -> None:
    for asked, code in ((False, plain), (True, require_finished)):
        decided = decide_exit_code(
            gating,
            judged=3,
            not_judged=not_judged,
            regressed=regressed,
            require_finished=asked,
            fail_on=FailOn.REGRESSION,
        )
        assert decided is code


@pytest.mark.parametrize("fail_on", FailOn)
@pytest.mark.parametrize("require_finished", [True, False])
def test_nothing_judged_is_not_green(fail_on: FailOn, require_finished: bool) -> None:
    code = decide_exit_code([], judged=0, require_finished=require_finished, fail_on=fail_on)
    assert code is ExitCode.BAD_INPUT
    assert decide_exit_code([], judged=0, ended_by=ExitCode.SIGTERM) is ExitCode.SIGTERM


def test_where_nothing_got_a_verdict_green_would_mean_nothing() -> None:
    assert decide_exit_code([], judged=2, decided=False) is ExitCode.NO_VERDICT
    assert decide_exit_code([], judged=2, decided=True) is ExitCode.OK
