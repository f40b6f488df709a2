"""The second stage of a workflow: what is posted where, about a run that had no right to post it itself. Pure.

A run for a fork's pull request has no token that may write, so it leaves its results as an artifact, and a
`workflow_run` job of the repository posts them. What the artifact says of itself counts only as far as GitHub says
the same; a run that left none is known from GitHub alone.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.event import read_ended_run, read_event
from agentlab_ci.settings import CommentSettings

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_RUN_PATH = r"/actions/runs/[0-9]+(?:/attempts/[0-9]+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is posted about. `event` is of the commit; `run_url` is the run that judged it, or should have.

    Without `number` it is the open pull request at the commit, from `branch` (`owner:name`) where that is known.
    """

    event: GitHubEvent
    commit: str
    run_url: str | None
    number: int | None = None
    branch: str | None = None


def choose_target(
    settings: CommentSettings,
    source: SourceIdentity,
    *,
    environ: Mapping[str, str],
    payload: Mapping[str, Any],
    now: datetime,
) -> Target:
    """Choose the pull request that results are posted to, and the commit that it must be at.

    On `workflow_run`, and with `head_sha`, the commit is GitHub's word and the results must agree; then they may
    also name the pull request, because it must be at that commit. Outside of GitHub the time stands for the run's
    number, so that a later call is the newer one. Raises BadInputError when something is missing, or differs.
    """
    event = _read_event(settings, environ, payload, now)
    vouched = _vouched_commit(settings, event)
    commit = vouched or source.commit
    if commit is None or not _SHA.fullmatch(commit):
        raise BadInputError("which commit are the results of? They do not say: give --head-sha with the full SHA")
    if source.commit != commit:
        raise BadInputError(f"the results are of {short(source.commit)}, and not of {short(commit)}")
    number = settings.pull_request or (source.pull_request if vouched else None)
    if number is None:
        raise BadInputError("which pull request is it? Give --pr NUMBER")
    run_url = _own_run_url(event, source.run_url)
    return Target(event=replace(event, sha=commit), commit=commit, run_url=run_url, number=number)


def choose_unjudged(
    settings: CommentSettings, *, environ: Mapping[str, str], payload: Mapping[str, Any], now: datetime
) -> Target:
    """Choose the pull request of a run that left no results, by what GitHub and the caller say of it.

    Raises BadInputError when they name no commit.
    """
    event = _read_event(settings, environ, payload, now)
    commit = _vouched_commit(settings, event)
    if commit is None or not _SHA.fullmatch(commit):
        raise BadInputError("which commit was not judged? Give --head-sha with the full SHA")
    ended = read_ended_run(payload)
    return Target(
        event=replace(event, sha=commit),
        commit=commit,
        run_url=_own_run_url(event, ended.url),
        number=settings.pull_request,
        branch=ended.branch if ended.sha == commit else None,
    )


def short(sha: str | None) -> str:
    """Return a commit as people read it."""
    return sha[:12] if sha else "an unknown commit"


def _read_event(
    settings: CommentSettings, environ: Mapping[str, str], payload: Mapping[str, Any], now: datetime
) -> GitHubEvent:
    named = {"GITHUB_REPOSITORY": settings.repository} if settings.repository else {}
    event = read_event({"GITHUB_RUN_ID": str(int(now.timestamp())), **environ, **named}, payload, cwd=Path())
    if event is None or not _REPOSITORY.fullmatch(event.repository):
        raise BadInputError("which repository is it? Give --repository OWNER/NAME")
    prefix = posixpath.join(settings.working_directory, "") if settings.working_directory else ""
    # Whichever step of the job posts, with results or without any, it is the same comment.
    return replace(event, step="", prefix=prefix)


def _vouched_commit(settings: CommentSettings, event: GitHubEvent) -> str | None:
    """Return the commit that somebody else than the results names."""
    return settings.head_sha or (event.sha if event.name == "workflow_run" else None)


def _own_run_url(event: GitHubEvent, url: str | None) -> str | None:
    """Return the page of a run, None unless it is one of this repository."""
    ours = re.escape(f"{event.server_url}/{event.repository}") + _RUN_PATH
    return url if url and re.fullmatch(ours, url) else None
