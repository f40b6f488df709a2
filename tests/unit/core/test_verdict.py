"""The one rule from counts to a verdict, and the labels beside it."""

from collections.abc import Iterator
from itertools import product

import pytest

from agentlab_ci.core.verdict import Label, Verdict, could_not_be_judged, label, run_verdict, verdict
from factories import statuses_of


@pytest.mark.parametrize(
    ("passed", "unfinished", "needed", "expected"),
    [
        (2, 0, 2, Verdict.PASSED),
        (2, 1, 2, Verdict.PASSED),  # settled while a sample still runs
        (1, 0, 2, Verdict.FAILED),
        (0, 1, 2, Verdict.FAILED),  # settled: the one to come cannot help
        (1, 1, 2, Verdict.UNFINISHED),
        (0, 3, 2, Verdict.UNFINISHED),  # nothing has run
    ],
)
def test_verdict(passed: int, unfinished: int, needed: int, expected: Verdict) -> None:
    assert verdict(passed=passed, unfinished=unfinished, needed=needed) is expected


def _counts_up_to_nine() -> Iterator[tuple[int, int, int]]:
    for samples in range(1, 10):
        for needed, passed in product(range(1, samples + 1), range(samples + 1)):
            for unfinished in range(samples - passed + 1):
                yield passed, unfinished, needed


def test_a_verdict_is_given_exactly_when_no_future_can_change_it() -> None:
    for passed, unfinished, needed in _counts_up_to_nine():
        futures = {passed + more >= needed for more in range(unfinished + 1)}
        expected = {
            frozenset({True}): Verdict.PASSED,
            frozenset({False}): Verdict.FAILED,
            frozenset({True, False}): Verdict.UNFINISHED,
        }[frozenset(futures)]
        assert verdict(passed=passed, unfinished=unfinished, needed=needed) is expected


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ("ppp", Label.STABLE),
        ("ppf", Label.FLAKY),
        ("fff", Label.BROKEN),
        ("ppe", Label.STABLE),  # an error says nothing of how good the answers are
        ("ffe", Label.BROKEN),
        ("pfe", Label.FLAKY),
        ("pcc", Label.STABLE),
        ("eee", None),  # nothing was judged
        ("ccc", None),
        ("...", None),
        ("p", None),  # one sample agrees with itself
        ("f", None),
    ],
)
def test_label(outcomes: str, expected: Label | None) -> None:
    assert label(statuses_of(outcomes), samples=len(outcomes)) is expected


@pytest.mark.parametrize(
    ("outcomes", "needed", "expected"),
    [
        ("pef", 2, True),  # the error might have been the pass that is missing
        ("eee", 2, True),
        ("eef", 3, False),  # below the bar whatever the errors would have been
        ("ppe", 2, False),  # passed
        ("fff", 2, False),
        ("e..", 3, True),  # settled by one error; the others did not run
        ("f..", 3, False),
        ("e..", 2, False),  # not settled
    ],
)
def test_could_not_be_judged(outcomes: str, needed: int, expected: bool) -> None:
    passed, errors, unfinished = (outcomes.count(letter) for letter in "pe.")
    answer = could_not_be_judged(passed=passed, errors=errors, unfinished=unfinished, needed=needed)
    assert answer is expected


@pytest.mark.parametrize(
    ("gating", "expected"),
    [
        ([Verdict.PASSED, Verdict.UNFINISHED, Verdict.FAILED], Verdict.FAILED),
        ([Verdict.PASSED, Verdict.UNFINISHED], Verdict.UNFINISHED),
        ([Verdict.PASSED], Verdict.PASSED),
        ([], Verdict.PASSED),  # nothing gates, nothing fails
    ],
)
def test_run_verdict(gating: list[Verdict], expected: Verdict) -> None:
    assert run_verdict(gating) is expected
    assert run_verdict(reversed(gating)) is expected
