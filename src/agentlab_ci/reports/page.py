"""What a reviewer reads, as PR comment or step summary: verdict, table, samples that did not pass, cut to size."""

from collections.abc import Callable
from dataclasses import dataclass

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.reports.advice import advise
from agentlab_ci.reports.baseline_wording import baseline_lines
from agentlab_ci.reports.comparison import fold_variants
from agentlab_ci.reports.escape import code_span, link_target
from agentlab_ci.reports.fitting import choose
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.section import fold_scenario, not_passed
from agentlab_ci.reports.table import make_table
from agentlab_ci.reports.templating import render
from agentlab_ci.reports.wording import pass_lines, summary_line, verdict_sentence

_MOST_OPEN = 3
"""Scenarios below the bar whose folds are open; of more than these, none is."""
_MOST_FIGURES = 20
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What a page is written on.

    `size` measures text in the unit of `limit`; `whereabouts` says where the rest is; a comment has a `marker`.
    """

    template: str
    limit: int
    size: Callable[[str], int]
    whereabouts: str
    marker: str = ""
    transcripts: bool = False


def render_page(
    report: RunReport, paper: Paper, *, links: Links | None, run_url: str | None, title: str | None
) -> str:
    """Render the report within the paper's limit; what does not fit is left out whole and counted.

    The verdict always stands. The table has what the samples do not need, and at least half of the room; in both,
    what is below the bar comes first. Transcripts are added from the top once everything else has its place.
    """
    page = _Page(report, paper, links, run_url, title)
    page.fill(paper.limit - paper.size(page.render()))
    return page.render()


class _Page:
    """A page that is empty at first, but for the verdict and the sentences that count what is left out.

    `_table` has a line for each scenario, and `_folds` one fold for each row of `_evidence`, in order, as far as
    there could be room for them.
    """

    def __init__(
        self, report: RunReport, paper: Paper, links: Links | None, run_url: str | None, title: str | None
    ) -> None:
        rows = report.scenarios
        self._report = report
        self._paper = paper
        self._links = links
        self._run_url = run_url and link_target(run_url)
        self._title = title and show_name(title)
        # What makes the run red comes first: it must not be crowded out by what only reports.
        self._below = sorted((row for row in rows if row.below_bar), key=lambda row: not row.gate)
        self._evidence = self._below + [row for row in rows if not row.below_bar and not_passed(row)]
        self._table = make_table(rows, links)
        self._folds: list[str] = []
        self._listed: tuple[int, ...] = ()
        self._told: tuple[int, ...] = ()
        self._with_transcript = 0

    def fill(self, room: int) -> None:
        """Choose what is shown, so that the page grows by at most `room`."""
        line_sizes = [self._paper.size(line) + 1 for line in self._table.lines]
        fold_sizes = self._make_folds(room)
        self._listed = choose(line_sizes, max(room - sum(fold_sizes), room // 2), first=self._table.below)
        room -= sum(line_sizes[index] for index in self._listed)
        self._told = choose(fold_sizes, room)
        if self._paper.transcripts:
            self._add_transcripts(room - sum(fold_sizes[index] for index in self._told))

    def _make_folds(self, room: int) -> list[int]:
        sizes: list[int] = []
        for row in self._evidence:
            if room < 0:
                break
            self._folds.append(self._fold(row))
            sizes.append(self._paper.size(self._folds[-1]) + 2)
            room -= sizes[-1]
        return sizes

    def _add_transcripts(self, room: int) -> None:
        for index in self._told:
            longer = self._fold(self._evidence[index], transcripts=True)
            room -= self._paper.size(longer) - self._paper.size(self._folds[index])
            if room < 0:
                return
            self._folds[index] = longer
            self._with_transcript += 1

    def _fold(self, row: ScenarioResult, *, transcripts: bool = False) -> str:
        opened = row.below_bar and len(self._below) <= _MOST_OPEN
        return fold_scenario(row, self._links, opened=opened, transcripts=transcripts)

    def render(self) -> str:
        """Fill in the template with what is chosen."""
        rows, below = self._report.scenarios, len(self._below)
        unlisted = set(range(len(self._table.lines))) - set(self._listed)
        folds = [self._folds[index] for index in self._told if index < below]
        others = [self._folds[index] for index in self._told if index >= below]
        return render(
            self._paper.template,
            marker=self._paper.marker,
            title=self._title,
            headline=verdict_sentence(self._report, EMOJI, show_name),
            figures=(
                summary_line(self._report, EMOJI),
                *pass_lines(self._report, show_name)[:_MOST_FIGURES],
                *baseline_lines(self._report, show_name),
                *advise(self._report, code_span),
            ),
            table=(self._table.head, *(self._table.lines[index] for index in self._listed)) if rows else (),
            unlisted=len(unlisted),
            unlisted_below=len(unlisted & self._table.below),
            notes=self._table.notes,
            variants=fold_variants(rows),
            below=folds,
            below_left_out=below - len(folds),
            others=others,
            others_left_out=len(self._evidence) - below - len(others),
            transcripts_left_out=len(self._evidence) - self._with_transcript if self._paper.transcripts else 0,
            whereabouts=self._paper.whereabouts,
            report=self._report,
            run_url=self._run_url,
        )


def show_name(name: str) -> str:
    """Return a name as a code span of at most about 100 bytes."""
    return code_span(cut(name, _LONGEST_NAME))
