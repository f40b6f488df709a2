"""Why a sample or a scenario is not simply a pass, in words that hold untrusted text: escape them for the sink."""

from collections.abc import Iterator

from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Evaluation, EventKind, Wait
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.reports.escape import log_lines
from agentlab_ci.reports.formatting import format_duration

_BODY_LINES = 5
_JUDGED_ALONE = (TerminationReason.COMPLETED, TerminationReason.EVALUATOR_FAILED)
_WORDS = {
    TerminationReason.SIMULATOR_ERROR: "the user could not be played",
    TerminationReason.JUDGE_ERROR: "the judge could not be used",
}
"""Of reasons that stand alone where nobody says more."""


def explain_sample(sample: SampleResult) -> tuple[str, ...]:
    """Say why a sample did not pass, the deciding reason first; empty for one that passed."""
    match sample.status:
        case SampleStatus.PASSED:
            return ()
        case SampleStatus.FAILED:
            return tuple(_explain_failure(sample)) or (sample.termination_reason.value,)
        case SampleStatus.ERROR:
            return (_explain_error(sample),)
        case SampleStatus.CANCELLED:
            begun = "not run" if sample.never_ran else "cancelled"
            return (f"{begun}: {_name_stop(sample)}",)


def explain_scenario(row: ScenarioResult) -> str:
    """Say in one line why a scenario is skipped, unfinished or below the bar, or what was tolerated if it passed.

    Empty for one that passed without a failure or an error.
    """
    if row.skipped is not None:
        return row.skipped
    if row.verdict is Verdict.UNFINISHED:
        left = row.samples_wanted - sum(sample.status.finished for sample in row.samples)
        return f"{plural(left, 'sample')} unfinished{_cause_of_cancellation(row)}"
    if row.verdict is Verdict.FAILED:
        return explain_sample(deciding_sample(row))[0]
    tolerated = list(_count_tolerated(row))
    return f"{', '.join(tolerated)}: {explain_sample(deciding_sample(row))[0]}" if tolerated else ""


def explain_not_run(sample: SampleResult) -> str:
    """Say why a sample never ran."""
    return _explain_error(sample) if sample.status is SampleStatus.ERROR else _name_stop(sample)


def deciding_score(sample: SampleResult) -> int | None:
    """Return the score where it decided: a failed hard gate, and an end before the end, need none."""
    gated = any(e.mode is Mode.HARD_GATE and not e.passed for e in sample.evaluations)
    return None if gated or sample.termination_reason not in _JUDGED_ALONE else sample.score


def deciding_sample(row: ScenarioResult) -> SampleResult:
    """Return what speaks against a scenario: its first failed sample, or first error where errors decide.

    The scenario has to have one of the two.
    """
    by_weight = [SampleStatus.ERROR] if row.could_not_be_judged else [SampleStatus.FAILED, SampleStatus.ERROR]
    return next(sample for status in by_weight for sample in row.samples if sample.status is status)


def tell_history(sample: SampleResult) -> tuple[str, ...]:
    """Say what a sample went through before its answers: waits for an agent or model, and fresh starts."""
    waits = tuple(_tell_wait(wait) for wait in sample.waits)
    redraws = tuple(f"tried again after: {redraw.reason.value}: {redraw.message}" for redraw in sample.redraws)
    return waits + redraws


def tell_cause(sample: SampleResult) -> tuple[str, ...]:
    """Say why a sample could not be judged: the error, then the first lines of the body that came instead.

    Where the agent was given up on, every sample has the same body, which is told once for all of them.
    """
    if sample.status is not SampleStatus.ERROR:
        return ()
    body = sample.error.body if sample.error is not None and not sample.given_up else None
    return (_explain_error(sample), *(log_lines(body)[:_BODY_LINES] if body else ()))


def tell_end(sample: SampleResult) -> tuple[str, ...]:
    """Say why a sample ended as it did, as far as its evaluations do not say it themselves."""
    if sample.status is SampleStatus.FAILED:
        judged_alone = sample.termination_reason in _JUDGED_ALONE
        return () if judged_alone and sample.evaluations else (_name_end(sample),)
    return explain_sample(sample)


def describe_evaluation(evaluation: Evaluation) -> str:
    """Name an evaluation, with its step and mode: `step 2 recalls-aisle (hard_gate)`; a judge with its answer."""
    if evaluation.type == JUDGE:
        return describe_judgement(evaluation)
    step = "" if evaluation.step is None else f"step {evaluation.step} "
    return f"{step}{evaluation.id} ({evaluation.mode.value})"


def describe_judgement(evaluation: Evaluation) -> str:
    """Say what a judge found of what was expected: `judge: not met`."""
    return f"judge: {'met' if evaluation.passed else 'not met'}"


def _tell_wait(wait: Wait) -> str:
    whom = "" if wait.model is None else f" for the {wait.model}"
    return f"waited {format_duration(wait.seconds * 1000)}{whom}: HTTP {wait.status}"


def _explain_failure(sample: SampleResult) -> Iterator[str]:
    missed = [evaluation for evaluation in sample.evaluations if not evaluation.passed]
    gates = [evaluation for evaluation in missed if evaluation.mode is Mode.HARD_GATE]
    if sample.termination_reason not in _JUDGED_ALONE:
        yield _name_end(sample)
    for gate in gates:
        yield f"{describe_evaluation(gate)}: {gate.message}"
    weighted = [evaluation for evaluation in missed if evaluation.mode is Mode.WEIGHTED]
    if weighted and sample.score is not None:
        yield f"score {sample.score}: " + ", ".join(f"{describe_evaluation(e)}: {e.message}" for e in weighted)


def _name_end(sample: SampleResult) -> str:
    """Name the reason of the end, with the limit that was gone over."""
    limits = (event.text for event in sample.trace if event.kind is EventKind.LIMIT and event.text)
    return ": ".join([sample.termination_reason.value, *limits])


def _explain_error(sample: SampleResult) -> str:
    reason = sample.termination_reason.value
    if sample.error is None:
        return ": ".join(part for part in (reason, _WORDS.get(sample.termination_reason)) if part)
    status = sample.error.status
    told = status is None or str(status) in sample.error.message
    return f"{reason}: {sample.error.message}" + ("" if told else f" (HTTP {status})")


def _cause_of_cancellation(row: ScenarioResult) -> str:
    cancelled = [sample for sample in row.samples if sample.status is SampleStatus.CANCELLED]
    telling = (sample for sample in cancelled if sample.error is not None)
    first = next(telling, cancelled[0] if cancelled else None)
    return "" if first is None else f": {_name_stop(first)}"


def _count_tolerated(row: ScenarioResult) -> Iterator[str]:
    failed, errors = row.count(SampleStatus.FAILED), row.count(SampleStatus.ERROR)
    if failed:
        yield f"{failed} failed"
    if errors:
        yield plural(errors, "error")


def _name_stop(sample: SampleResult) -> str:
    """Name what stopped a sample, and what the tool that ran it says of that, if another one did."""
    reason = sample.termination_reason.value.replace("_", " ")
    return reason if sample.error is None else f"{reason}: {sample.error.message}"
