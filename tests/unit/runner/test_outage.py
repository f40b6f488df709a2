import pytest

from agentlab_ci.runner.outage import Outages


@pytest.mark.parametrize(
    ("slots", "failures", "down"),
    [
        (1, 2, False),
        (1, 3, True),  # three at least
        (8, 7, False),  # they failed while others still wait
        (8, 8, True),
    ],
)
def test_as_many_samples_as_run_at_once_have_to_fail(slots: int, failures: int, down: bool) -> None:
    outages = Outages(slots=slots)
    for number in range(failures):
        outages.note_failure("judge", f"failure {number + 1}")
    why = outages.why_down("judge")
    assert (why is not None) is down
    assert why is None or why.endswith(f": failure {failures}")
    assert outages.why_down("simulator") is None


def test_one_answer_is_enough_for_the_whole_run() -> None:
    outages = Outages()
    outages.note_failure("judge", "HTTP 500")
    outages.note_answer("judge")
    for _ in range(20):
        outages.note_failure("judge", "HTTP 500")
    assert outages.why_down("judge") is None
