"""`agentlab comment`: posting the results of another job, which anybody may have written.

A fork's run has no token that may write, so it leaves its results as an artifact, and a `workflow_run` job of the
repository posts them. What the artifact says of itself counts only as far as GitHub says the same.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.event import read_event
from agentlab_ci.publish.outcome import CommentAction, CommentOutcome
from agentlab_ci.publish.patience import Patience
from agentlab_ci.publish.pull_request import BodyOf, explain_failure, open_client, publish_comment
from agentlab_ci.publish.sticky import CommentMode, default_key
from agentlab_ci.settings import CommentSettings

MAX_RESULTS_BYTES = 32 << 20
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_RUN_PATH = r"/actions/runs/[0-9]+(?:/attempts/[0-9]+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where results are posted. `event` is about that pull request; `run_url` is the run that made the results."""

    event: GitHubEvent
    number: int
    commit: str
    run_url: str | None


def read_artifact(path: Path, *, shown: str) -> bytes:
    """Read a file that anybody may have written: no link, no pipe, at most `MAX_RESULTS_BYTES`.

    Raises BadInputError when it is anything else.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInputError(f"cannot read {shown}: it is not a file")
            content = file.read(MAX_RESULTS_BYTES + 1)
    except OSError as problem:
        raise BadInputError(f"cannot read {shown}: {problem.strerror}") from problem
    if len(content) > MAX_RESULTS_BYTES:
        raise BadInputError(f"cannot read {shown}: it is longer than {MAX_RESULTS_BYTES >> 20} MiB")
    return content


def choose_target(
    settings: CommentSettings,
    source: SourceIdentity,
    *,
    environ: Mapping[str, str],
    payload: Mapping[str, Any],
    cwd: Path,
    now: datetime,
) -> Target:
    """Choose the pull request, and the commit that it must be at. Pure.

    On `workflow_run`, and with `head_sha`, the commit is GitHub's word and the results must agree; then they may
    also name the pull request, because it must be at that commit. Outside of GitHub the time stands for the run's
    number, so that a later call is the newer one. Raises BadInputError when something is missing, or differs.
    """
    named = {"GITHUB_REPOSITORY": settings.repository} if settings.repository else {}
    event = read_event({"GITHUB_RUN_ID": str(int(now.timestamp())), **environ, **named}, payload, cwd=cwd)
    if event is None or not _REPOSITORY.fullmatch(event.repository):
        raise BadInputError("which repository is it? Give --repository OWNER/NAME")
    vouched = settings.head_sha or (event.sha if event.name == "workflow_run" else None)
    commit = vouched or source.commit
    if commit is None or not _SHA.fullmatch(commit):
        raise BadInputError("which commit are the results of? They do not say: give --head-sha with the full SHA")
    if source.commit != commit:
        raise BadInputError(f"the results are of {_short(source.commit)}, and not of {_short(commit)}")
    number = settings.pull_request or (source.pull_request if vouched else None)
    if number is None:
        raise BadInputError("which pull request is it? Give --pr NUMBER")
    pull_request = PullRequest(number=number, head_sha=commit)
    event = replace(event, sha=commit, pull_request=pull_request, prefix="")
    return Target(event=event, number=number, commit=commit, run_url=_own_run_url(event, source))


def post_results(
    target: Target, body_of: BodyOf, *, token: str, key: str | None, patience: Patience
) -> CommentOutcome:
    """Post the comment if the pull request is at the commit of the results.

    Raises BadInputError when it is not, and when GitHub does not take the comment.
    """
    if not token:
        raise BadInputError("no comment was posted: the variable that --token-env names is empty")
    try:
        head = patience.run(lambda: _read_head(target, token, patience))
    except Exception as problem:
        raise BadInputError(f"no comment was posted: {explain_failure(problem, target.event)}") from problem
    if head != target.commit:
        raise BadInputError(
            f"no comment was posted: pull request {target.number} is at {_short(head)} now, "
            f"and the results are of {_short(target.commit)}"
        )
    outcome = publish_comment(
        target.event,
        body_of,
        token=token,
        key=key or default_key(target.event),
        mode=CommentMode.AUTO,
        bad_news=False,
        keep_unsent=None,
        patience=patience,
    )
    if outcome.action in (CommentAction.NOT_SENT, CommentAction.NOT_TRIED):
        raise BadInputError(outcome.warning or "no comment was posted")
    return outcome


def _read_head(target: Target, token: str, patience: Patience) -> str:
    with open_client(target.event, token, patience) as client:
        return client.pull(target.number).head_sha


def _own_run_url(event: GitHubEvent, source: SourceIdentity) -> str | None:
    """Return the page of the run that made the results, None unless it is one of this repository."""
    ours = re.escape(f"{event.server_url}/{event.repository}") + _RUN_PATH
    return source.run_url if source.run_url and re.fullmatch(ours, source.run_url) else None


def _short(sha: str | None) -> str:
    return sha[:12] if sha else "an unknown commit"
