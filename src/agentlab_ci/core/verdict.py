"""The one function that every surface, output and exit code takes its verdict from."""

from collections.abc import Iterable
from enum import StrEnum

from agentlab_ci.core.sample import SampleStatus


class Verdict(StrEnum):
    """Whether enough samples of a scenario passed. `skipped`: its type cannot run on the agent."""

    PASSED = "passed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    SKIPPED = "skipped"


class Label(StrEnum):
    """How the judged samples of a sampled scenario agree. A label, never the verdict."""

    STABLE = "stable"
    FLAKY = "flaky"
    BROKEN = "broken"


def verdict(*, passed: int, unfinished: int, needed: int) -> Verdict:
    """Judge a scenario by its counts; settled as soon as this is not `unfinished`."""
    if passed >= needed:
        return Verdict.PASSED
    if passed + unfinished < needed:
        return Verdict.FAILED
    return Verdict.UNFINISHED


def label(statuses: Iterable[SampleStatus], *, samples: int) -> Label | None:
    """Say whether all, some or none of the judged samples passed; None for k = 1 or when none was judged."""
    judged = [status for status in statuses if status in (SampleStatus.PASSED, SampleStatus.FAILED)]
    if samples == 1 or not judged:
        return None
    passes = judged.count(SampleStatus.PASSED)
    if passes == len(judged):
        return Label.STABLE
    return Label.FLAKY if passes else Label.BROKEN


def could_not_be_judged(*, passed: int, errors: int, unfinished: int, needed: int) -> bool:
    """Tell whether errors alone keep a scenario below the bar: with passes in their place it might have passed."""
    return passed + unfinished < needed <= passed + unfinished + errors


def run_verdict(gating: Iterable[Verdict]) -> Verdict:
    """Join the verdicts of gating scenarios: failed if any is, else unfinished if any is, else passed."""
    seen = set(gating)
    if Verdict.FAILED in seen:
        return Verdict.FAILED
    return Verdict.UNFINISHED if Verdict.UNFINISHED in seen else Verdict.PASSED
