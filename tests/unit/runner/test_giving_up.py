"""Which samples are marked as those of an agent that was given up on."""

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import EventKind, SampleError, TraceEvent
from agentlab_ci.runner.giving_up import mark_alike
from agentlab_ci.runner.reachability import Failure
from factories import make_samples

REFUSED = Failure(reason=TerminationReason.HTTP_ERROR, status=401)


def refused(status: int = 401) -> SampleResult:
    update = {
        "termination_reason": TerminationReason.HTTP_ERROR,
        "error": SampleError(message="no", status=status),
    }
    return make_samples("e")[0].model_copy(update=update)


def test_a_sample_that_failed_alike_is_marked_once() -> None:
    marked = mark_alike(refused(), REFUSED)
    assert marked is not None
    assert marked.given_up
    assert mark_alike(marked, REFUSED) is None


def test_other_failures_and_what_a_profile_struck_are_not_marked() -> None:
    fault = TraceEvent(at_ms=0, kind=EventKind.FAULT, text="request 1: status 401")
    assert mark_alike(refused(404), REFUSED) is None
    assert mark_alike(refused().model_copy(update={"trace": (fault,)}), REFUSED) is None
