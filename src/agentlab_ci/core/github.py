"""Where a run stands on GitHub: the event, the pull request, and links into the repository. Pure."""

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import quote

from agentlab_ci.core.results import SourceIdentity

_SHA = re.compile(r"[0-9a-fA-F]{7,64}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """The pull request that a run judges. `head_sha` is the commit that its author pushed, never the merge commit.

    Both commits are None where the event does not name them.
    """

    number: int
    head_sha: str | None = None
    base_sha: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubEvent:
    """What GitHub says of the run. `repository` is `owner/name`; `sha` is the judged commit, None if unknown.

    `from_fork` says whether that commit comes from another repository, or may. `prefix` is the path from the
    workspace to the working directory, empty or ending in a slash. `step` tells two uses of the Action in one job
    apart.
    """

    name: str
    repository: str
    sha: str | None
    ref: str | None = None
    pull_request: PullRequest | None = None
    from_fork: bool = False
    actor: str = ""
    run_id: int
    run_attempt: int = 1
    workflow: str = ""
    job: str = ""
    step: str = ""
    server_url: str = "https://github.com"
    api_url: str = "https://api.github.com"
    prefix: str = ""

    @property
    def run_url(self) -> str:
        """The page of the workflow run."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.run_attempt}"

    @property
    def source(self) -> SourceIdentity:
        """The event as results.json holds it."""
        return SourceIdentity(
            commit=self.sha,
            ref=self.ref,
            pull_request=self.pull_request.number if self.pull_request else None,
            run_url=self.run_url,
        )

    @property
    def links(self) -> "Links | None":
        """Links to the judged commit, None where it is unknown, or where commit or repository can be none."""
        if self.sha is None or not _SHA.fullmatch(self.sha) or not _REPOSITORY.fullmatch(self.repository):
            return None
        return Links(base=f"{self.server_url}/{self.repository}/blob/{self.sha}/", prefix=self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Makes links to lines of files at one commit. `prefix` stands before the paths that reports know."""

    base: str
    prefix: str = ""

    def to_line(self, file: str, line: int | None) -> str:
        """Return the URL of a line; every character that could leave the URL is percent-encoded.

        Results may name any path: one that leaves the repository leads to the commit's root.
        """
        path = posixpath.join(self.prefix, file)
        if {".", ".."} & set(path.split("/")):
            path = posixpath.normpath(path)
        if path in (".", "..") or path.startswith(("/", "../")):
            return self.base
        anchor = f"#L{line}" if line is not None else ""
        return self.base + quote(path, safe="/", errors="replace") + anchor
