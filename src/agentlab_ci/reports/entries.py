"""What is said of a scenario's samples, one entry each, where many that are alike would only fill the page."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from agentlab_ci.core.results import SampleResult
from agentlab_ci.reports.reasons import explain_sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One sample, or several in a row that never ran for the same reason. `lines` are untrusted."""

    samples: tuple[SampleResult, ...]
    lines: tuple[str, ...] = ()


def make_entries(
    samples: Iterable[SampleResult], tell: Callable[[SampleResult], Iterable[str]]
) -> Iterator[Entry]:
    """Yield the entries in order, with what `tell` says of each sample that ran.

    Samples of an agent that was given up on mostly say the same: each line of theirs is said once.
    """
    said: set[str] = set()
    for alike in join_alike(samples, lambda sample: sample.never_ran):
        lines = () if alike[0].never_ran else tuple(tell(alike[0]))
        if alike[0].agent_given_up:
            lines = tuple(line for line in lines if line not in said)
            said.update(lines)
        yield Entry(samples=alike, lines=lines)


def join_alike(
    samples: Iterable[SampleResult], joins: Callable[[SampleResult], bool]
) -> Iterator[tuple[SampleResult, ...]]:
    """Yield each sample alone, but neighbours that `joins` holds for, and that ended alike, together."""

    def key(numbered: tuple[int, SampleResult]) -> tuple[object, ...]:
        place, sample = numbered
        if not joins(sample):
            return (sample.sample,)
        return (place - sample.sample, sample.status, explain_sample(sample))

    for _, alike in groupby(enumerate(samples), key):
        yield tuple(sample for _, sample in alike)


def name_samples(first: int, last: int, of: int, dash: str = "–") -> str:
    """Write which samples: `sample 3/3`, `samples 35–200/200`."""
    return f"sample {first}/{of}" if first == last else f"samples {first}{dash}{last}/{of}"
