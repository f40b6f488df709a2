"""What came of judging stored transcripts again, as lines that are safe on a terminal and in a CI log."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agentlab_ci.core.agreement import Rejudged, Share, agreement
from agentlab_ci.core.estimates import wilson
from agentlab_ci.core.stats import format_share
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Usage
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.show_run import count_usage

_LONGEST_REASON = 300


def agreement_lines(samples: Sequence[Rejudged], usage: Usage, glyphs: Glyphs) -> list[str]:
    """Return a line for each sample, the reason of the first judgement against the stored one, and the sums."""
    lines = [*_tell_samples(samples, glyphs), *_tell_sums(samples, glyphs)]
    if used := ", ".join(count_usage(usage)):
        lines.append(f"judge: {used}")
    return [for_log(line) for line in lines]


def _tell_samples(samples: Sequence[Rejudged], glyphs: Glyphs) -> Iterator[str]:
    for title, together in groupby(samples, lambda sample: sample.title):
        yield cut(title, _LONGEST_REASON)
        for sample in together:
            yield f"  {_tell_sample(sample, glyphs)}"
            if sample.dissent is not None:
                other = "not met" if sample.stored else "met"
                yield f"      {other}: {cut(sample.dissent, _LONGEST_REASON)}"


def _tell_sample(sample: Rejudged, glyphs: Glyphs) -> str:
    stored = f"{glyphs.passed} met    " if sample.stored else f"{glyphs.failed} not met"
    counts = [f"{sample.agreed}/{sample.judged} agree", *_tell_useless([sample])]
    told = f"sample {sample.sample}/{sample.of} {stored}  {', '.join(counts)}"
    return told if sample.run_id is None else f"{told}  {sample.run_id}"


def _tell_sums(samples: Sequence[Rejudged], glyphs: Glyphs) -> Iterator[str]:
    everything = agreement(samples)
    # It takes draws for independent, which judgements of one transcript are not quite.
    if interval := wilson(everything.part, everything.whole):
        between = f"{interval.low:.2f}{glyphs.to}{interval.high:.2f}"
        yield f"agreement: {_show(everything)}, 95% interval {between}"
    by_answer = (
        f"stored as {name}: {_show(share)} {name} again"
        for stored, name in ((True, "met"), (False, "not met"))
        if (share := agreement(samples, stored=stored)).whole
    )
    yield f" {glyphs.dot} ".join(by_answer)
    overturned = sum(sample.overturned for sample in samples)
    if overturned:
        yield f"most judgements differ from the stored one: {plural(overturned, 'sample')}"
    if useless := ", ".join(_tell_useless(samples)):
        yield f"not counted: {useless}"


def _tell_useless(samples: Iterable[Rejudged]) -> Iterator[str]:
    listed = list(samples)
    unusable, unanswered = sum(it.unusable for it in listed), sum(it.unanswered for it in listed)
    if unusable:
        yield f"{unusable} unusable"
    if unanswered:
        yield f"{unanswered} without an answer"


def _show(share: Share) -> str:
    return f"{share.part}/{share.whole} ({format_share(share.part, share.whole)})"
