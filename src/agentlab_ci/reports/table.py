"""The table of scenarios, as report.md, the PR comment and the step summary show it: one Markdown line each."""

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.escape import table_cell
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.reasons import explain_scenario
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.wording import count_passes, remarks

TABLE_HEAD = "| | Scenario | Samples | Passed | Why |\n|:-:|:--|:--|:--|:--|"
LONGEST_NAME = 200
"""Bytes of a scenario's title in one line of Markdown."""
_LONGEST_REASON = 200
_MOST_MARKS = 25


def table_row(row: ScenarioResult, links: Links | None = None) -> str:
    """Return the row of a scenario: icon, title, an icon for each sample, counts, why; linked to its YAML line."""
    title = table_cell(cut(row.title, LONGEST_NAME))
    url = link_to_line(row.file, row.line, links)
    cells = (
        EMOJI.of_scenario(row),
        title if url is None else f"[{title}]({url})",
        _marks(row),
        count_passes(row).replace(" passed, needs ", ",\u00a0needs\u00a0"),  # never broken over two lines
        _why(row),
    )
    return f"| {' | '.join(cells)} |"


def link_to_line(file: str | None, line: int | None, links: Links | None) -> str | None:
    """Return the address of a line, None where it is unknown."""
    if links is None or file is None:
        return None
    return links.to_line(file.encode("utf-8", "replace").decode(), line)


def _marks(row: ScenarioResult) -> str:
    if row.skipped is not None:
        return ""
    ended = {sample.sample: EMOJI.of_status(sample.status) for sample in row.samples}
    marks = [ended.get(number, EMOJI.unfinished) for number in range(1, row.samples_wanted + 1)]
    if len(marks) <= _MOST_MARKS:
        return "".join(marks)
    return " ".join(f"{marks.count(mark)}×{mark}" for mark in dict.fromkeys(marks))


def _why(row: ScenarioResult) -> str:
    said = " · ".join(remarks(row))
    reason = cut(explain_scenario(row), _LONGEST_REASON)
    return ": ".join(part for part in (said, table_cell(reason) if reason else "") if part)
