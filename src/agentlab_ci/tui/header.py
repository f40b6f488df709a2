"""The counts above the rows, in the words of the log's summary."""

import textwrap

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.widgets import Static

from agentlab_ci.core.text import plural
from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.formatting import Glyphs, format_cost, format_duration
from agentlab_ci.reports.wording import verdict_sentence
from agentlab_ci.tui.state import Counts, LiveState
from agentlab_ci.tui.tones import Line, Span, Tone, marks_for, to_text

Item = tuple[str, Tone]
_PASS_LINES = 4
"""Of variants and different k; the reports have them all."""
_UNENDED = "did not end: it still runs, or was killed"


def tell_header(state: LiveState, glyphs: Glyphs, *, elapsed: float, width: int) -> tuple[Line, ...]:
    """Return the lines of the header, each at most `width` cells where that can be; `elapsed` is in seconds."""
    passes = [(printable(line), Tone.PLAIN) for line in state.pass_lines[:_PASS_LINES]]
    more = len(state.pass_lines) - len(passes)
    passes += [(f"and {more} more", Tone.DIM)] if more > 0 else []
    scenarios = _tell_scenarios(state.counts) if state.sampled else []
    lines = [
        *_flow(_tell_counts(state.counts, elapsed), glyphs, width),
        *_flow([*scenarios, *passes], glyphs, width),
    ]
    return (*lines, *_tell_now(state, glyphs, width))


def _tell_counts(counts: Counts, elapsed: float) -> list[Item]:
    told: list[Item] = [(f"{counts.ended}/{counts.wanted} samples", Tone.HEADING)]
    told += [
        (f"{count} {word}", tone)
        for count, word, tone in (
            (counts.passed, "passed", Tone.PASSED),
            (counts.failed, "failed", Tone.TOLERATED),
            (counts.errors, "error" if counts.errors == 1 else "errors", Tone.TOLERATED),
            (counts.cancelled, "cancelled", Tone.DIM),
            (counts.running, "running", Tone.RUNNING),
        )
        if count
    ]
    told.append((tell_elapsed(elapsed), Tone.DIM))
    if counts.cost_usd is not None:
        told.append((format_cost(counts.cost_usd), Tone.DIM))
    if counts.simulation_cost_usd is not None:
        told.append((f"{format_cost(counts.simulation_cost_usd)} to simulate", Tone.DIM))
    return told


def _tell_scenarios(counts: Counts) -> list[Item]:
    groups = ((counts.scenarios_failed, "failed"), (counts.scenarios_not_judged, "could not be judged"))
    told = [f"{count}/{counts.scenarios} {word}" for count, word in groups if count]
    if told:  # the noun stands once, as in the log's summary
        told[0] = told[0].replace(" ", " scenario " if counts.scenarios == 1 else " scenarios ", 1)
    return [(text, Tone.BELOW) for text in told]


def _tell_now(state: LiveState, glyphs: Glyphs, width: int) -> list[Line]:
    """Say how it ended, in few lines; before that, what is waited for and what was said last."""
    if state.report is not None:
        verdict = _wrap(printable(verdict_sentence(state.report, glyphs, str)), Tone.HEADING, glyphs, width)
        return [*(_wrap(_UNENDED, Tone.TOLERATED, glyphs, width) if state.unended else ()), *verdict]
    if state.over:
        return [Line((Span("the run broke off", Tone.BELOW),))]
    lines = []
    wait = state.longest_wait
    if wait is not None:
        waits = plural(state.counts.waiting, "sample")
        told = f"{waits} waiting, {wait.seconds:g} s at most ({wait.status}, try {wait.attempt})"
        lines.append(Line((Span(told, Tone.TOLERATED),)))
    if state.said:
        lines.append(Line((Span(set_cell_size(printable(state.said[-1]), width).rstrip(), Tone.DIM),)))
    return lines


def _wrap(text: str, tone: Tone, glyphs: Glyphs, width: int) -> list[Line]:
    """Break a text into two lines at most; the second says where more would follow."""
    ellipsis = marks_for(glyphs).ellipsis
    lines = textwrap.wrap(text, max(width, len(ellipsis)), max_lines=2, placeholder=f" {ellipsis}")
    return [Line((Span(line, tone),)) for line in lines]


def tell_elapsed(seconds: float) -> str:
    """Write a time that goes on, to the second: `12s`, `2m 05s`."""
    return f"{int(seconds)}s" if seconds < 60 else format_duration(int(seconds) * 1000)


def _flow(items: list[Item], glyphs: Glyphs, width: int) -> list[Line]:
    """Put items beside each other, in as many lines as that takes."""
    rows: list[list[Span]] = []
    room = 0
    for text, tone in items:
        cells = cell_len(text) + 3
        if not rows or cells > room:
            rows.append([])
            room = width + 3
        elif rows[-1]:
            rows[-1].append(Span(f" {glyphs.dot} ", Tone.DIM))
        rows[-1].append(Span(text, tone))
        room -= cells
    return [Line(tuple(row)) for row in rows]


class CountsHeader(Static):
    """The counts, and below them a rule that fills up."""

    DEFAULT_CSS = """
    CountsHeader { height: auto; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._drawn: tuple[Line, ...] = ()

    def show(self, state: LiveState, glyphs: Glyphs, *, elapsed: float) -> None:
        """Bring the header up to date; nothing is painted where nothing has changed."""
        width = max(1, self.content_size.width)
        lines = (*tell_header(state, glyphs, elapsed=elapsed, width=width), _rule(state, glyphs, width))
        if lines != self._drawn:
            self._drawn = lines
            self.update(Text("\n").join(to_text(line.spans) for line in lines))


def _rule(state: LiveState, glyphs: Glyphs, width: int) -> Line:
    marks, counts = marks_for(glyphs), state.counts
    done = width * counts.ended // counts.wanted if counts.wanted else width
    below = counts.scenarios_failed or counts.scenarios_not_judged
    tone = (Tone.BELOW if below else Tone.PASSED) if state.over else Tone.RUNNING
    return Line((Span(marks.done * done, tone), Span(marks.left * (width - done), Tone.DIM)))
