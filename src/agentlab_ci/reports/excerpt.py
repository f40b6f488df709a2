"""The few lines of a sample that it was judged by, for places where a whole transcript is too long."""

import re
from collections.abc import Iterator

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Role
from agentlab_ci.reports.evidence import name_body, to_json
from agentlab_ci.reports.redact import cut

_CALLS = 6
_CALL_BYTES = 200
_EXCHANGE = 2
_TEXT_BYTES = 1000
_TEXT_LINES = 12
_LINE_END = re.compile(r"\r\n|\r|\n")


def excerpt(sample: SampleResult, *, turns: int = _EXCHANGE, turn_bytes: int = _TEXT_BYTES) -> str:
    """Return what was last said before the sample was judged, as plain untrusted text; empty when nothing was.

    Of a conversation, the exchange of the first step that failed, else the last one, or as many `turns` up to
    there, each of at most `turn_bytes`; of a task, its last calls and the answer; where something else came
    instead, that. Lines that go on are indented, so that no reply can pretend to be another speaker's.
    """
    if sample.error is not None and sample.error.body:
        return say(name_body(sample), sample.error.body)
    if sample.tool_calls:
        return "\n".join(_tell_work(sample))
    if not sample.turns:
        return "" if sample.final_output is None else say("final output", sample.final_output)
    return "\n".join(_tell_turns(sample, turns, turn_bytes))


def _tell_turns(sample: SampleResult, most: int, turn_bytes: int) -> Iterator[str]:
    before = sample.turns[: _end_of_exchange(sample)]
    earlier = len(before) - most
    if earlier > 0 and most > _EXCHANGE:
        yield f"… [{plural(earlier, 'earlier turn')} left out]"
    yield from (say(turn.role.value, turn.text, turn_bytes) for turn in before[-most:])


def _end_of_exchange(sample: SampleResult) -> int:
    replies = [index for index, turn in enumerate(sample.turns) if turn.role is Role.AGENT]
    failed = min((e.step for e in sample.evaluations if not e.passed and e.step is not None), default=None)
    return len(sample.turns) if failed is None or failed > len(replies) else replies[failed - 1] + 1


def _tell_work(sample: SampleResult) -> Iterator[str]:
    earlier = len(sample.tool_calls) - _CALLS
    if earlier > 0:
        yield f"… [{plural(earlier, 'earlier call')} left out]"
    for call in sample.tool_calls[-_CALLS:]:
        came = f"error: {call.error}" if call.error is not None else to_json(call.output)
        by = f" (fault: {call.fault})" if call.fault is not None else ""
        yield say("call", f"{call.name} {cut(to_json(call.input), _CALL_BYTES)} → {cut(came, _CALL_BYTES)}{by}")
    if sample.final_output is not None:
        yield say("agent", sample.final_output)


def say(speaker: str, text: str, limit: int = _TEXT_BYTES) -> str:
    """Return what somebody said in at most `limit` bytes and a dozen lines, those that go on indented."""
    first, *rest = _LINE_END.split(cut(text.strip(), limit))
    kept = rest[: _TEXT_LINES - 1]
    if len(rest) > len(kept):
        kept.append(f"… [{len(rest) - len(kept)} more lines left out]")
    return "\n".join([f"{speaker}: {first}", *(f"    {line}" for line in kept)])
