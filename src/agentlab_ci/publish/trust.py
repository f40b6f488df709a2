"""Whether the files checked out may run: on some events a stranger's code would meet the repository's secrets."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.publish.checkout import find_foreign

PRIVILEGED_EVENTS = frozenset({"pull_request_target", "issue_comment", "workflow_run"})
"""Events that give a job secrets and a token that may write, although a fork's pull request caused them."""


def why_untrusted(
    event: GitHubEvent | None,
    *,
    working_directory: Path,
    sources: Iterable[Path],
    workspace: Path,
    environ: Mapping[str, str],
) -> str | None:
    """Return why nothing that is checked out may be run, None when it may.

    `sources` are the files and folders that the config and the scenarios are read from. A config is code: it can
    send secrets anywhere. On privileged events about a fork's pull request, or about nobody knows whose, only the
    repository's own code is trusted: HEAD must be GITHUB_SHA or the commit that the pull request is based on, of
    every checkout that is read from. A HEAD that cannot be read is not trusted.
    """
    name = environ.get("GITHUB_EVENT_NAME", "")
    if name not in PRIVILEGED_EVENTS or (event is not None and not event.from_fork):
        return None
    base = event.pull_request.base_sha if event and event.pull_request else None
    own = frozenset(filter(None, (environ.get("GITHUB_SHA"), base)))
    foreign = find_foreign([working_directory], sources, workspace=workspace, own=own)
    if foreign is None:
        return None
    return (
        f"refused to run: on {name} a job has secrets and a token that may write, and {foreign}, which is not "
        "known to be the repository's own code. Run it on pull_request, check out the base commit and nothing "
        "else, or set allow-untrusted-code: true if you trust whoever wrote this code"
    )
