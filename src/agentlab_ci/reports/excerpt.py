"""The few lines of a sample that it was judged by, for places where a whole transcript is too long."""

import re

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.trace import Role, Turn
from agentlab_ci.reports.redact import cut

_TEXT_BYTES = 1000
_TEXT_LINES = 12
_LINE_END = re.compile(r"\r\n|\r|\n")


def excerpt(sample: SampleResult) -> str:
    """Return what was last said before the sample was judged, as plain untrusted text; empty when nothing was.

    Of a conversation, the exchange of the first step that failed, else the last one; of any other sample its final
    output; where something else came instead of an answer, that. Lines that go on are indented, so that no reply
    can pretend to be another speaker's.
    """
    if sample.error is not None and sample.error.body:
        return _say("body of the answer", sample.error.body)
    if not sample.turns:
        return "" if sample.final_output is None else _say("final output", sample.final_output)
    return "\n".join(_say(turn.role.value, turn.text) for turn in _exchange(sample))


def _exchange(sample: SampleResult) -> tuple[Turn, ...]:
    replies = [index for index, turn in enumerate(sample.turns) if turn.role is Role.AGENT]
    failed = min((e.step for e in sample.evaluations if not e.passed and e.step is not None), default=None)
    end = len(sample.turns) if failed is None or failed > len(replies) else replies[failed - 1] + 1
    return sample.turns[max(0, end - 2) : end]


def _say(speaker: str, text: str) -> str:
    first, *rest = _LINE_END.split(cut(text.strip(), _TEXT_BYTES))
    kept = rest[: _TEXT_LINES - 1]
    if len(rest) > len(kept):
        kept.append(f"… [{len(rest) - len(kept)} more lines left out]")
    return "\n".join([f"{speaker}: {first}", *(f"    {line}" for line in kept)])
