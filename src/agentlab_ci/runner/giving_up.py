"""What becomes of the samples of an agent that is given up on: the failed, and those that do not run. Pure."""

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import EventKind, SampleError
from agentlab_ci.reports.redact import cut
from agentlab_ci.runner.reachability import UNREACHED, Failure, find_failure
from agentlab_ci.runner.sample import UNREACHABLE_ERROR

_LONGEST_QUOTE = 500
"""Bytes of the failure's message that are said again of every sample that does not run."""


def mark_alike(sample: SampleResult, failure: Failure) -> SampleResult | None:
    """Return a sample that failed for this reason as one of an agent that was given up on; None for any other.

    One that is marked already is another, and so is one that a runtime profile has struck. A failed connection
    becomes `agent_unreachable`.
    """
    if failure is UNREACHED:
        if sample.termination_reason is not TerminationReason.HTTP_CONNECTION_FAILED:
            return None
        return sample.model_copy(
            update={
                "status": SampleStatus.ERROR,
                "termination_reason": TerminationReason.AGENT_UNREACHABLE,
                "error": sample.error or UNREACHABLE_ERROR,
            }
        )
    found = find_failure(sample, unreached=False)
    struck = any(event.kind is EventKind.FAULT for event in sample.trace)
    if found is None or struck or sample.given_up or not found.is_like(failure):
        return None
    return sample.model_copy(update={"given_up": True})


def spare(sample: SampleResult, failure: Failure) -> SampleResult:
    """Return a sample that does not run with the failure that its agent was given up on for.

    It comes as one of an unreachable agent.
    """
    if failure is UNREACHED:
        return sample
    quote = cut(failure.message, _LONGEST_QUOTE)
    message = f"the agent's first samples all failed alike, so the rest did not run: {quote}"
    return sample.model_copy(
        update={
            "termination_reason": failure.reason,
            "error": SampleError(message=message, status=failure.status),
            "given_up": True,
        }
    )
