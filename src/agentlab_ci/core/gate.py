"""The exit code of a run: set only by scenarios that finished below the bar."""

from collections.abc import Sequence
from enum import StrEnum

from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode


class FailOn(StrEnum):
    """What turns the exit code to 1."""

    BELOW_BAR = "below-bar"
    REGRESSION = "regression"
    NEVER = "never"


def decide_exit_code(
    gating: Sequence[Verdict],
    *,
    judged: int,
    decided: bool = True,
    not_judged: int = 0,
    regressed: bool = False,
    require_finished: bool = False,
    fail_on: FailOn = FailOn.BELOW_BAR,
    broken_off: bool = False,
    ended_by: ExitCode | None = None,
) -> ExitCode:
    """Decide from the verdicts of the gating scenarios, skipped ones left out.

    `judged` counts the scenarios that were not skipped, gating or not: without any, green would mean nothing.
    `decided` tells whether any of them got a verdict.
    `ended_by` is the signal or the bug that ended the run early: it wins over 1, and 1 over 3.
    `FailOn.NEVER` turns 1 into 0 and changes nothing else. With `FailOn.REGRESSION` the code is 1 when a gating
    scenario has `regressed`, and else never; the `not_judged` gating scenarios, of which nobody can say whether
    they got worse, then count as unfinished: errors alone keep one below its bar, or nothing is there to hold it
    against. So neither an agent that was not there is green, nor a baseline of other terms. A run of another tool
    that was `broken_off` is green in no case.
    """
    if ended_by is not None:
        return ended_by
    if not judged:
        return ExitCode.NO_VERDICT if broken_off else ExitCode.BAD_INPUT
    by_baseline = fail_on is FailOn.REGRESSION
    if regressed if by_baseline else Verdict.FAILED in gating:
        if fail_on is not FailOn.NEVER:
            return ExitCode.BELOW_BAR
        return ExitCode.NO_VERDICT if broken_off else ExitCode.OK
    unfinished = gating.count(Verdict.UNFINISHED) + (not_judged if by_baseline else 0)
    if broken_off or not decided or (unfinished and (require_finished or unfinished == len(gating))):
        return ExitCode.NO_VERDICT
    return ExitCode.OK
