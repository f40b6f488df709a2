"""A scenario's samples that did not pass, as a fold of the PR comment and of the step summary."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.text import plural
from agentlab_ci.reports.baseline_wording import tell_state
from agentlab_ci.reports.escape import code_element, code_span, fenced
from agentlab_ci.reports.evidence import exhibits
from agentlab_ci.reports.excerpt import excerpt
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.markdown_parts import show_evaluation, show_exhibit, title_samples
from agentlab_ci.reports.reasons import deciding_score, tell_end, tell_history
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.simulation import TURN_BYTES, TURNS, brief_of, is_simulation
from agentlab_ci.reports.table import LONGEST_NAME, link_to_line
from agentlab_ci.reports.wording import count_passes, name_row, remarks

MOST_SAMPLES = 5
"""Of one scenario; the rest is counted."""
_MOST_BULLETS = 8
_LONGEST_BULLET = 300
_LONGEST_BRIEF = 1000
_NOT_PASSED = (SampleStatus.FAILED, SampleStatus.ERROR)


def not_passed(row: ScenarioResult) -> list[SampleResult]:
    """Return the samples that have evidence against them."""
    return [sample for sample in row.samples if sample.status in _NOT_PASSED]


def fold_scenario(row: ScenarioResult, links: Links | None, *, opened: bool, transcripts: bool = False) -> str:
    """Return the fold: what each failed sample missed, and the exchange it missed it in.

    At most `MOST_SAMPLES` samples, together where the same is to be said of them; with `transcripts` they have the
    whole of what was said as well. A simulation begins with what it asked for and expected, which is cut without.
    """
    samples = not_passed(row)
    blocks = [
        f"<details{' open' if opened else ''}><summary>{_summarize(row, links)}</summary>",
        *_show_brief(row, whole=transcripts),
        *_tell(samples[:MOST_SAMPLES], _excerpt_for(row), transcripts=transcripts),
    ]
    if len(samples) > MOST_SAMPLES:
        blocks.append(f"And {plural(len(samples) - MOST_SAMPLES, 'more sample')} that did not pass.")
    return "\n\n".join([*blocks, "</details>"])


def _summarize(row: ScenarioResult, links: Links | None) -> str:
    """Return one line of HTML: no Markdown is read in a line that begins with a tag."""
    title = code_element(cut(name_row(row, EMOJI), LONGEST_NAME))
    url = link_to_line(row.file, row.line, links)
    linked = title if url is None else f'<a href="{url}">{title}</a>'
    said = [f"<b>{linked}</b>", count_passes(row), *remarks(row), *tell_state(row, code_element)]
    return f"{EMOJI.of_scenario(row)} " + " · ".join(said)


def _show_brief(row: ScenarioResult, *, whole: bool) -> Iterator[str]:
    for exhibit in brief_of(row):
        text = exhibit.text if whole else cut(exhibit.text, _LONGEST_BRIEF)
        yield show_exhibit(replace(exhibit, text=text))


def _excerpt_for(row: ScenarioResult) -> Callable[[SampleResult], str]:
    return partial(excerpt, turns=TURNS, turn_bytes=TURN_BYTES) if is_simulation(row) else excerpt


def _tell(
    samples: list[SampleResult], quote: Callable[[SampleResult], str], *, transcripts: bool
) -> Iterator[str]:
    alike: dict[tuple[SampleStatus, int | None, tuple[str, ...]], list[SampleResult]] = {}
    for sample in samples:
        said = tuple(_blocks(sample, quote(sample), transcripts=transcripts))
        alike.setdefault((sample.status, deciding_score(sample), said), []).append(sample)
    for (_, _, said), together in alike.items():
        yield f"#### {title_samples(together)}"
        yield from said


def _blocks(sample: SampleResult, said: str, *, transcripts: bool) -> Iterator[str]:
    bullets = list(_bullets(sample))
    if bullets:
        more = len(bullets) - _MOST_BULLETS
        yield "\n".join([*bullets[:_MOST_BULLETS], *([f"- and {more} more"] if more > 0 else [])])
    if said:
        yield fenced(said, "text")
    shown = [show_exhibit(exhibit) for exhibit in exhibits(sample)] if transcripts else []
    if shown:
        yield from ("<details><summary>Transcript</summary>", *shown, "</details>")


def _bullets(sample: SampleResult) -> Iterator[str]:
    for line in (*tell_end(sample), *tell_history(sample)):
        yield f"- {code_span(cut(line, _LONGEST_BULLET))}"
    for evaluation in sample.evaluations:
        if not evaluation.passed:
            shown = evaluation.model_copy(update={"message": cut(evaluation.message, _LONGEST_BULLET)})
            yield f"- {show_evaluation(shown)}"
