"""What a single run of a conversation prints: how it went step by step."""

from collections.abc import Iterable, Iterator

from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import Evaluation, Role
from agentlab_ci.reports.formatting import Glyphs, format_duration
from agentlab_ci.reports.reasons import tell_cause, tell_history

_WORDS = {
    SampleStatus.PASSED: "PASS",
    SampleStatus.FAILED: "FAIL",
    SampleStatus.ERROR: "ERROR",
    SampleStatus.CANCELLED: "CANCELLED",
}


def conversation_lines(row: ScenarioResult, sample: SampleResult, glyphs: Glyphs) -> Iterator[str]:
    """Yield the lines of a conversation that ran once; they hold untrusted text, one line each at most."""
    yield f"  run {row.title} {glyphs.dash} {_WORDS[sample.status]}"
    if row.agent is not None:
        yield f"  agent: {row.agent.label} ({row.agent.url or row.agent.provider.value})"
    for line in tell_history(sample):
        yield f"  {line}"
    done = sum(turn.role is Role.AGENT for turn in sample.turns)
    yield f"  turns completed: {done}" + ("" if row.steps is None else f"/{row.steps}")
    for step in range(1, done + 1):
        yield from _judged(f"step {step}", [e for e in sample.evaluations if e.step == step], glyphs)
    at_end = [evaluation for evaluation in sample.evaluations if evaluation.step is None]
    if at_end:
        yield from _judged("end", at_end, glyphs)
    if sample.termination_reason is not TerminationReason.COMPLETED:
        yield f"  run stopped ({sample.termination_reason.value})"
    for line in tell_cause(sample):
        yield f"      {line}"
    if sample.run_id is not None:
        yield f"  run id: {sample.run_id}   {format_duration(sample.duration_ms)}"


def _judged(place: str, evaluations: Iterable[Evaluation], glyphs: Glyphs) -> Iterator[str]:
    judged = list(evaluations)
    missed = [evaluation for evaluation in judged if not evaluation.passed]
    marks = ", ".join(f"{e.id} {glyphs.passed if e.passed else glyphs.failed}" for e in judged)
    yield f"  {place}: {'fail' if missed else 'pass'}" + (f" ({marks})" if marks else "")
    for evaluation in missed:
        yield f"      {evaluation.id} ({evaluation.mode.value}): {evaluation.message}"
