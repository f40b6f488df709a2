"""When an agent counts as unreachable."""

import pytest

from agentlab_ci.runner.reachability import Reach, Reachability


@pytest.mark.parametrize(
    ("samples", "slots", "failures"),
    [
        (30, 1, 3),  # at least three are tried
        (30, 8, 8),  # as many as run at once
        (2, 8, 2),  # all there are
    ],
)
def test_so_many_first_samples_must_fail(samples: int, slots: int, failures: int) -> None:
    reachability = Reachability(samples=samples, slots=slots)
    reaches = [reachability.record(connection_failed=True, last=False) for _ in range(failures)]
    assert reaches == [Reach.UNKNOWN] * (failures - 1) + [Reach.UNREACHABLE]


def test_one_answer_settles_it_for_good() -> None:
    reachability = Reachability(samples=30, slots=1)
    reachability.record(connection_failed=True, last=False)
    reachability.record(connection_failed=False, last=False)
    assert all(reachability.record(connection_failed=True, last=False) is Reach.REACHED for _ in range(9))


def test_if_fewer_ran_because_the_verdicts_were_settled_all_of_them_decide() -> None:
    assert Reachability(samples=30, slots=8).record(connection_failed=True, last=True) is Reach.UNREACHABLE
