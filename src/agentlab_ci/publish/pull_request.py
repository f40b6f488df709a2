"""Publishing at a pull request: finding it, and keeping one sticky comment there. No failure is an exception."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.publish.outcome import CommentAction, CommentOutcome
from agentlab_ci.publish.patience import GaveUpError, Patience, RefusedError
from agentlab_ci.publish.sticky import CommentMode, Marker
from agentlab_ci.publish.trust import PRIVILEGED_EVENTS

if TYPE_CHECKING:
    from agentlab_ci.publish.github import GitHubClient

BodyOf = Callable[[str], str]
"""Renders the comment, given the marker that it begins with."""

_DEPENDABOT = "dependabot[bot]"
_LONGEST_EXPLANATION = 300

_API_URL = re.compile(r"https?://(\[[0-9a-fA-F:.]+\]|[^\s/:@?#\[\]]+)(:[0-9]{1,5})?(/[^\s?#]*)?")


class BadApiUrlError(Exception):
    """There is no GitHub at such an address; the message says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestSearch:
    """The pull request of a commit, if there is one. `warning` says why it could not be looked for."""

    found: PullRequest | None = None
    warning: str | None = None


def find_pull_request(event: GitHubEvent, *, token: str, patience: Patience) -> PullRequestSearch:
    """Find the open pull request of this repository whose head, or merge commit, is the judged commit."""
    sha = event.sha
    if sha is None or not token:
        return PullRequestSearch()

    def search() -> PullRequest | None:
        with open_client(event, token, patience) as client:
            for pull in client.pulls_of(sha):
                ours = pull.is_open and pull.repository.lower() == event.repository.lower()
                if ours and sha in (pull.head_sha, pull.merge_sha):
                    return PullRequest(number=pull.number, head_sha=pull.head_sha, base_sha=pull.base_sha)
        return None

    try:
        return PullRequestSearch(found=patience.run(search))
    except Exception as problem:  # noqa: BLE001 - no failure of publishing may change the verdict
        if isinstance(problem, RefusedError) and problem.status == 422:
            return PullRequestSearch()  # GitHub does not know the commit, so no pull request has it
        return PullRequestSearch(warning=f"no pull request was looked for: {explain_failure(problem, event)}")


def publish_comment(
    event: GitHubEvent,
    body_of: BodyOf,
    *,
    token: str,
    key: str,
    mode: CommentMode,
    bad_news: bool,
    update_only: bool = False,
    keep_unsent: Callable[[str], str] | None,
    patience: Patience,
) -> CommentOutcome:
    """Bring the comment of this key up to date, or create it where `mode` wants one.

    Nothing that GitHub does raises. The pull request is the event's; without one there is nothing to do.
    `bad_news` says whether `on-failure` wants a comment; `update_only` lets none be created in any mode. A body
    that GitHub does not take goes to `keep_unsent`, which returns where it put it.

    Whatever other runs of the same key do meanwhile, one comment is left, with the newest run's text. The one
    exception: GitHub has no conditional write, so a text that a newer run writes while an older run's write is on
    its way is lost.
    """
    if event.pull_request is None:
        return CommentOutcome(action=CommentAction.NOT_WANTED)
    if why_not := _why_not_try(event, token):
        return CommentOutcome(action=CommentAction.NOT_TRIED, warning=f"no pull request comment: {why_not}")
    number = event.pull_request.number
    marker = Marker(key=key, run=event.run_id, attempt=event.run_attempt)
    wanted = not update_only and (mode is CommentMode.AUTO or (mode is CommentMode.ON_FAILURE and bad_news))
    body = body_of(str(marker))

    def publish() -> CommentOutcome:
        from agentlab_ci.publish.keeper import CommentKeeper  # noqa: PLC0415 - it brings PyGithub

        with open_client(event, token, patience) as client:
            return CommentKeeper(client, client.conversation(number), marker, body).settle(create=wanted)

    try:
        return patience.run(publish)
    except Exception as problem:  # noqa: BLE001 - no failure of publishing may change the verdict
        return _not_sent(problem, event, mode, body, keep_unsent)


def open_client(event: GitHubEvent, token: str, patience: Patience) -> "GitHubClient":
    """Open the event's repository at its GitHub; nothing is asked yet. Raises BadApiUrlError."""
    if not _API_URL.fullmatch(event.api_url):
        raise BadApiUrlError(f"GITHUB_API_URL is no http:// or https:// address with a host: {event.api_url!r}")
    from agentlab_ci.publish.github import GitHubClient  # noqa: PLC0415 - 0.2 s that most runs save

    return GitHubClient(api_url=event.api_url, repository=event.repository, token=token, patience=patience)


def _why_not_try(event: GitHubEvent, token: str) -> str | None:
    """Say why GitHub would refuse for certain: a fork's run has a token that may only read."""
    if event.from_fork and event.name not in PRIVILEGED_EVENTS:
        return (
            "runs for a fork's pull request have no token that may write; "
            "the results are in the summary, and `agentlab comment` can post them from a workflow_run"
        )
    return None if token else "no github-token is set"


def _not_sent(
    problem: Exception,
    event: GitHubEvent,
    mode: CommentMode,
    body: str,
    keep_unsent: Callable[[str], str] | None,
) -> CommentOutcome:
    forbidden = isinstance(problem, RefusedError) and problem.status in (403, 404)
    if mode is CommentMode.NEVER and forbidden:
        return CommentOutcome(action=CommentAction.NOT_WANTED)  # whoever wants no comment need not grant access
    kept = _keep(body, keep_unsent) if keep_unsent else ""
    return CommentOutcome(
        action=CommentAction.NOT_SENT,
        warning=f"no pull request comment: {explain_failure(problem, event)}{kept}",
    )


def _keep(body: str, keep_unsent: Callable[[str], str]) -> str:
    try:
        return f". It is in {keep_unsent(body)}"
    except (OSError, ValueError) as problem:
        return f". It could not be kept in a file either: {problem}"


def explain_failure(problem: Exception, event: GitHubEvent) -> str:
    """Say why talking to GitHub failed, and what to do where something can be done."""
    if isinstance(problem, BadApiUrlError):
        return str(problem)
    if isinstance(problem, GaveUpError):
        return f"GitHub was waited for, but {problem}"
    if not isinstance(problem, RefusedError):
        text = shorten(str(problem), _LONGEST_EXPLANATION, placeholder=" …")
        return f"GitHub's answer was not understood ({type(problem).__name__}: {text})"
    said = f"GitHub refused with {problem}"
    if problem.status == 401:
        return f"{said}; is the github-token valid?"
    if "locked" in problem.message.lower() or problem.status not in (403, 404):
        return said
    advice = "grant the job `permissions: pull-requests: write`"
    if event.actor == _DEPENDABOT:
        advice += "; runs that Dependabot starts may only read unless the workflow grants it"
    return f"{said}; {advice}"
