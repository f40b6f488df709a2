"""GitHub through PyGithub: the few calls that publishing needs, each with patience. Importing this takes 0.2 s."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Self, TypeVar

from github import Auth, Github, GithubException
from github.GithubObject import NotSet
from github.Issue import Issue
from github.IssueComment import IssueComment
from github.PullRequest import PullRequest

from agentlab_ci import __version__
from agentlab_ci.publish.patience import Patience, RefusedError
from agentlab_ci.publish.sticky import Comment

T = TypeVar("T")

_ANSWER_SECONDS = 10
"""Longest silence in the middle of one answer."""
_LONGEST_MESSAGE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request as GitHub has it. `repository` is where it would be merged."""

    number: int
    repository: str
    head_sha: str
    base_sha: str
    merge_sha: str | None
    is_open: bool


class GitHubClient:
    """One repository at one GitHub. Every call raises RefusedError or GaveUpError when it fails for good.

    Use it as a context manager, which closes its connections.
    """

    def __init__(self, *, api_url: str, repository: str, token: str, patience: Patience) -> None:
        self._patience = patience
        self._github = Github(
            auth=Auth.Token(token),
            base_url=api_url,
            user_agent=f"agentlab/{__version__}",
            per_page=100,
            timeout=_ANSWER_SECONDS,
            lazy=True,
            # PyGithub's own retries and pauses know of no deadline for all of them together.
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
        self._repository = self._github.get_repo(repository)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._github.close()

    def login(self) -> str | None:
        """Return whose token it is, None for a token that may not know, as a workflow's own."""
        try:
            return self._patience.insist(_asking(lambda: self._github.get_user().login))
        except RefusedError as refusal:
            if refusal.status == 403:
                return None
            raise

    def pull(self, number: int) -> Pull:
        """Return one pull request."""
        return self._patience.insist(_asking(lambda: _pull(self._repository.get_pull(number))))

    def pulls_of(self, sha: str) -> list[Pull]:
        """Return the pull requests that hold a commit, closed ones and those of other repositories included."""
        commit = self._repository.get_commit(sha)
        return self._patience.insist(_asking(lambda: [_pull(found) for found in commit.get_pulls()]))

    def open_pulls(self, branch: str | None) -> list[Pull]:
        """Return the open pull requests of this repository, with `branch` (`owner:name`) only those from there."""
        head = NotSet if branch is None else branch
        return self._patience.insist(
            _asking(lambda: [_pull(found) for found in self._repository.get_pulls(state="open", head=head)])
        )

    def conversation(self, pull_request: int) -> "Conversation":
        """Open the conversation of a pull request; nothing is asked yet."""
        return Conversation(self._repository.get_issue(pull_request), self._patience)


class Conversation:
    """The comments of one pull request."""

    def __init__(self, issue: Issue, patience: Patience) -> None:
        self._issue = issue
        self._patience = patience

    def comments(self) -> list[Comment]:
        """Return all comments, oldest first."""
        return self._patience.insist(_asking(lambda: [_comment(found) for found in self._issue.get_comments()]))

    def create(self, body: str, *, look_again: Callable[[], Comment | None]) -> Comment:
        """Write a comment; `look_again` finds one that was written although GitHub said otherwise."""
        return self._patience.insist(
            _asking(lambda: _comment(self._issue.create_comment(body))), look_again=look_again
        )

    def read(self, comment_id: int) -> Comment:
        """Return one comment as it is now."""
        return self._patience.insist(_asking(lambda: _comment(self._issue.get_comment(comment_id))))

    def edit(self, comment_id: int, body: str) -> None:
        """Write over a comment."""
        self._patience.insist(_asking(lambda: self._issue.get_comment(comment_id).edit(body)))

    def delete(self, comment_id: int) -> None:
        """Delete a comment."""
        self._patience.insist(_asking(lambda: self._issue.get_comment(comment_id).delete()))


def _asking(call: Callable[[], T]) -> Callable[[], T]:
    """Return the call with PyGithub's exceptions turned into ours."""

    def ask() -> T:
        try:
            return call()
        except GithubException as problem:
            headers = {name.lower(): str(value) for name, value in (problem.headers or {}).items()}
            raise RefusedError(problem.status, _message(problem.data), headers) from problem

    return ask


def _message(data: Any) -> str:
    """Return what GitHub says in words, in one line. No word is cut, or half a secret would be left of it."""
    return shorten(" - ".join(_words(data)), _LONGEST_MESSAGE, placeholder=" …")


def _words(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if isinstance(data.get("message"), str):
            yield data["message"]
        for detail in data.get("errors") or ():
            yield from _words(detail)


def _comment(found: IssueComment) -> Comment:
    if not isinstance(found.id, int):
        raise TypeError("it is not a comment")  # such as a proxy's page with status 200
    author = found.user
    return Comment(
        id=found.id,
        author=author.login if author else None,
        by_bot=bool(author) and author.type == "Bot",
        body=found.body or "",
        url=found.html_url,
    )


def _pull(found: PullRequest) -> Pull:
    return Pull(
        number=found.number,
        repository=found.base.repo.full_name,
        head_sha=found.head.sha,
        base_sha=found.base.sha,
        merge_sha=found.merge_commit_sha,
        is_open=found.state == "open",
    )
