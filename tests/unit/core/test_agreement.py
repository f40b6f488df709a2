"""How far judgements agree."""

import pytest

from agentlab_ci.core.agreement import Rejudged, Share, agreement


def rejudged(*, stored: bool, met: int, not_met: int, useless: int = 0) -> Rejudged:
    return Rejudged(
        title="a.b",
        sample=1,
        of=1,
        run_id=None,
        stored=stored,
        met=met,
        not_met=not_met,
        unusable=useless,
        unanswered=useless,
    )


def test_shares_are_of_judgements_alone() -> None:
    samples = [
        rejudged(stored=True, met=4, not_met=1, useless=7),
        rejudged(stored=False, met=3, not_met=2),
    ]
    assert agreement(samples) == Share(part=6, whole=10)
    assert agreement(samples, stored=True) == Share(part=4, whole=5)
    assert agreement(samples, stored=False) == Share(part=2, whole=5)
    assert agreement([]) == Share(part=0, whole=0)


@pytest.mark.parametrize(
    ("stored", "met", "not_met", "overturned"),
    [(True, 1, 2, True), (True, 1, 1, False), (False, 2, 1, True), (False, 1, 2, False), (True, 0, 0, False)],
)
def test_a_sample_is_overturned_by_a_majority(stored: bool, met: int, not_met: int, overturned: bool) -> None:
    assert rejudged(stored=stored, met=met, not_met=not_met).overturned is overturned
