"""The comment on the pull request."""

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import RunReport
from agentlab_ci.reports.escape import fenced, link_target
from agentlab_ci.reports.page import Paper, render_page, show_name
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.templating import render

COMMENT_LIMIT = 65_000
"""Characters; GitHub takes 65,536."""
_REASON_LIMIT = 20_000


def render_comment(
    report: RunReport,
    *,
    marker: str,
    links: Links | None,
    run_url: str | None,
    title: str | None = None,
    limit: int = COMMENT_LIMIT,
) -> str:
    """Render the comment in at most `limit` characters: first the marker, which is ours and one line.

    `title` is untrusted text that tells this comment from others of the pull request, such as a job's name.
    What does not fit is left out as whole scenarios, and a sentence says how many and where they are. The verdict
    and what surrounds it need up to about 50,000 characters when names, variants included, are very long.
    """
    run = f"the step summary of the [workflow run]({link_target(run_url)})" if run_url else "the step summary"
    paper = Paper(
        template="comment.md.j2",
        limit=limit,
        size=_count_characters,
        whereabouts=f"See {run} or the report files.",
        marker=marker,
    )
    return render_page(report, paper, links=links, run_url=run_url, title=title)


def render_not_judged(
    reason: str, *, marker: str, sha: str | None, run_url: str | None, title: str | None = None
) -> str:
    """Render the comment that replaces an older verdict when nothing was judged: which commit, and why.

    `reason` is untrusted text of any number of lines; it is cut at 20,000 bytes. `title` is as in the comment.
    """
    return render(
        "not_judged.md.j2",
        marker=marker,
        title=title and show_name(title),
        sha=sha,
        reason=fenced(cut(reason, _REASON_LIMIT), "text"),
        run_url=run_url and link_target(run_url),
    )


def _count_characters(text: str) -> int:
    """Count as the strictest reader does, to whom most emoji are two characters."""
    return len(text.encode("utf-16-le")) // 2
