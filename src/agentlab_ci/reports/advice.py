"""What to do about an agent that fails at everything, and about one that is asked too much."""

from collections.abc import Callable, Iterable, Iterator

from agentlab_ci.core.results import RunReport, SampleResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import EventKind, SampleError
from agentlab_ci.reports.escape import log_lines
from agentlab_ci.reports.formatting import format_duration
from agentlab_ci.reports.moments import seconds_of
from agentlab_ci.reports.redact import cut

TOO_MANY_REQUESTS = 429
LONG_WAITS = 60.0
"""Seconds that the samples of an agent waited in all, from which on that is worth a sentence."""
_MOST_AGENTS = 3
"""Of those with the same trouble; the others are in the results."""
_LAST_WORDS = 10
"""Lines."""
_LONGEST_NAME, _LONGEST_MESSAGE = 60, 200
"""Bytes."""
_SHORTEST, _CLOCK_ERROR = 0.000_1, 0.002
"""Seconds. Starts are cut to the millisecond: samples that follow each other must not seem to overlap."""

Show = Callable[[str], str]
"""Makes an untrusted text safe for the sink that the sentence is for."""


def advise(report: RunReport, show: Show) -> tuple[str, ...]:
    """Return a sentence for each agent that was given up on, and for each that answered 429 again and again."""
    by_agent = _samples_by_agent(report)
    failing = [_tell_failing(name, samples, show) for name, samples in by_agent.items() if _cause(samples)]
    throttled = [told for name, samples in by_agent.items() if (told := _tell_throttled(name, samples, show))]
    return (*failing[:_MOST_AGENTS], *throttled[:_MOST_AGENTS])


def last_words(report: RunReport) -> list[str]:
    """Return what each agent that was given up on has said last, on stderr or instead of an answer; untrusted."""
    lines: list[str] = []
    for name, samples in _samples_by_agent(report).items():
        cause = _cause(samples)
        if cause is not None and cause.body:
            said = log_lines(cause.body)
            # The end of stderr says what went wrong; of a page, the beginning does.
            told = said[-_LAST_WORDS:] if cause.status is None else said[:_LAST_WORDS]
            lines += [f"last words of {name}:", *(f"  {line}" for line in told)]
    return lines


def _samples_by_agent(report: RunReport) -> dict[str, list[SampleResult]]:
    by_agent: dict[str, list[SampleResult]] = {}
    for row in report.scenarios:
        if row.agent is not None:
            by_agent.setdefault(row.agent.name, []).extend(row.samples)
    return by_agent


def _cause(samples: Iterable[SampleResult]) -> SampleError | None:
    """Return the error that the agent was given up on for, with a body where one came.

    That of a sample that did not run quotes it, and so is longer.
    """
    errors = [sample.error for sample in samples if sample.given_up and sample.error is not None]
    return min(errors, key=lambda error: (len(error.message), not error.body), default=None)


def _tell_failing(name: str, samples: list[SampleResult], show: Show) -> str:
    cause = _cause(samples)
    message = "" if cause is None else cause.message
    spared = sum(sample.given_up and sample.never_ran for sample in samples)
    return (
        f"agent {show(cut(name, _LONGEST_NAME))} was given up on and {plural(spared, 'sample')} did not run, "
        f"because its first ones all failed alike: {show(cut(message, _LONGEST_MESSAGE))}"
    )


def _tell_throttled(name: str, samples: list[SampleResult], show: Show) -> str | None:
    truly = [sample for sample in samples if all(event.kind is not EventKind.FAULT for event in sample.trace)]
    waits = (wait for sample in truly for wait in sample.waits if wait.model is None)
    waited = sum(wait.seconds for wait in waits if wait.status == TOO_MANY_REQUESTS)
    ended = sum(_ended_busy(sample) for sample in truly)
    at_once = _most_at_once(samples) if ended or waited >= LONG_WAITS else 0
    if not at_once:
        return None
    told = f"agent {show(cut(name, _LONGEST_NAME))} got too many requests (HTTP {TOO_MANY_REQUESTS}): "
    told += " and ".join(_what_came_of_it(waited, ended))
    if len(samples) == 1:
        return f"{told}; run again later, or raise its quota"
    if at_once == 1:
        return f"{told}, although no two ran at once; take fewer samples, or raise its quota"
    fewer = at_once // 2
    return (
        f"{told}; up to {at_once} ran at once: try `--concurrency {fewer}`, "
        f"or `max_concurrency: {fewer}` for this agent in the config"
    )


def _what_came_of_it(waited: float, ended: int) -> Iterator[str]:
    if waited:
        yield f"its samples waited {format_duration(waited * 1000)} in all"
    if ended:
        yield f"{plural(ended, 'sample')} got no answer"


def _ended_busy(sample: SampleResult) -> bool:
    """Tell whether it ended with a 429 that fewer samples might have avoided."""
    error = sample.error
    busy = error is not None and error.status == TOO_MANY_REQUESTS and not error.hopeless
    return busy and not sample.given_up and sample.status is SampleStatus.ERROR


def _most_at_once(samples: Iterable[SampleResult]) -> int:
    """Count how many of the samples ran at the same time at most; 0 where no start is known."""
    changes: list[tuple[float, int]] = []
    for sample in samples:
        start = seconds_of(sample.started_at)
        if start is not None:
            changes += [(start, 1), (start + max(_SHORTEST, sample.duration_ms / 1000 - _CLOCK_ERROR), -1)]
    running = most = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most
