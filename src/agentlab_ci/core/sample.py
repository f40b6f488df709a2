"""The words for how one sample ended."""

from enum import StrEnum


class SampleStatus(StrEnum):
    """`failed` was judged and not good enough, `error` could not be judged, `cancelled` did not run to its end."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    CANCELLED = "cancelled"

    @property
    def finished(self) -> bool:
        """Whether the sample counts towards the verdict."""
        return self is not SampleStatus.CANCELLED


class TerminationReason(StrEnum):
    """Why a sample ended. `timeout_exceeded` is a failure only for the scenario's own limit."""

    COMPLETED = "completed"
    # failed
    EVALUATOR_FAILED = "evaluator_failed"
    STEP_LIMIT_EXCEEDED = "step_limit_exceeded"
    FORBIDDEN_TOOL_USED = "forbidden_tool_used"
    # failed or error
    TIMEOUT_EXCEEDED = "timeout_exceeded"
    # error
    TOOL_ERROR = "tool_error"
    AGENT_ERROR = "agent_error"
    HTTP_CONNECTION_FAILED = "http_connection_failed"
    HTTP_ERROR = "http_error"
    INVALID_RESPONSE_FORMAT = "invalid_response_format"
    AGENT_UNREACHABLE = "agent_unreachable"
    SIMULATOR_ERROR = "simulator_error"
    JUDGE_ERROR = "judge_error"
    # cancelled
    SETTLED = "settled"
    RUN_DEADLINE = "run_deadline"
    INTERRUPTED = "interrupted"
