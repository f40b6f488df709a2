"""The step summary of the workflow run."""

from collections.abc import Sequence

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.text import plural
from agentlab_ci.errors import Problem
from agentlab_ci.reports.escape import code_span
from agentlab_ci.reports.fitting import choose
from agentlab_ci.reports.page import Paper, render_page, show_name
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import link_to_line
from agentlab_ci.reports.templating import render

SUMMARY_LIMIT = 900_000
"""Bytes; GitHub drops a step's summary of more than 1 MiB."""
_LONGEST_PROBLEM = 1000
_AROUND_PROBLEMS = 800
"""Bytes of title and headline, and of the sentence that counts what is left out."""


def render_summary(
    report: RunReport,
    *,
    links: Links | None,
    run_url: str | None,
    title: str | None = None,
    limit: int = SUMMARY_LIMIT,
) -> str:
    """Render the step summary in at most `limit` bytes of UTF-8: the comment, and whole transcripts.

    `title` is untrusted text that tells this summary from those of other jobs and steps.
    """
    paper = Paper(
        template="summary.md.j2",
        limit=limit,
        size=_count_bytes,
        whereabouts="See the report files.",
        transcripts=True,
    )
    return render_page(report, paper, links=links, run_url=run_url, title=title)


def render_problems(
    problems: Sequence[Problem], *, links: Links | None, title: str | None = None, limit: int = SUMMARY_LIMIT
) -> str:
    """Render why nothing was judged: each problem, linked to its place, in at most `limit` bytes of UTF-8.

    A problem without a path stands for a message that belongs to no file. `title` is as in the summary.
    """
    lines = [f"- {_show_problem(problem, links)}" for problem in problems]
    shown = choose([_count_bytes(line) + 1 for line in lines], limit - _AROUND_PROBLEMS)
    return render(
        "problems.md.j2",
        title=title and show_name(title),
        headline=f"⚠️ Nothing was judged: {plural(len(problems), 'problem')}",
        lines=[lines[index] for index in shown],
        left_out=len(lines) - len(shown),
    )


def _show_problem(problem: Problem, links: Links | None) -> str:
    place = ":".join(str(part) for part in (problem.path, problem.line, problem.column) if part is not None)
    said = code_span(cut(": ".join(part for part in (problem.where, problem.message) if part), _LONGEST_PROBLEM))
    if not problem.path:
        return said
    url = link_to_line(problem.path, problem.line, links)
    shown = code_span(place)
    return f"{shown if url is None else f'[{shown}]({url})'} {said}"


def _count_bytes(text: str) -> int:
    return len(text.encode())
