"""Whether the files checked out may run: on some events a stranger's code would meet the repository's secrets."""

from collections.abc import Mapping
from pathlib import Path

from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.publish.git_head import read_head

PRIVILEGED_EVENTS = frozenset({"pull_request_target", "issue_comment", "workflow_run"})
"""Events that give a job secrets and a token that may write, although a fork's pull request caused them."""


def why_untrusted(event: GitHubEvent, *, working_directory: Path, environ: Mapping[str, str]) -> str | None:
    """Return why nothing in the working directory may be run, None when it may.

    A config is code: it can send secrets anywhere. On privileged events about a fork's pull request, only the
    repository's own code is trusted: HEAD must be GITHUB_SHA or the commit that the pull request is based on.
    A HEAD that cannot be read is not trusted.
    """
    if event.name not in PRIVILEGED_EVENTS or not event.from_fork:
        return None
    own = {environ.get("GITHUB_SHA"), event.pull_request.base_sha if event.pull_request else None}
    head = read_head(working_directory)
    if head is not None and head in own:
        return None
    found = f"{head[:12]} is checked out" if head else "which commit is checked out cannot be told"
    return (
        f"refused to run: on {event.name} a job has secrets and a token that may write, and {found}, which is not "
        "the repository's own code. Run it on pull_request, check out the base commit, or set "
        "allow-untrusted-code: true if you trust whoever wrote this code"
    )
