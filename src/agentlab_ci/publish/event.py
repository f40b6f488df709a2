"""What GitHub says of the run: environment and event payload, read into a `GitHubEvent`."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentlab_ci.core.github import GitHubEvent, PullRequest

_PULL_REF = re.compile(r"refs/pull/([0-9]+)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The event's JSON. `content` is empty when it cannot be read; `warning` then says why."""

    content: Mapping[str, Any]
    warning: str | None = None


def read_payload(environ: Mapping[str, str]) -> Payload:
    """Read the file that GITHUB_EVENT_PATH names; without the variable there is nothing to read."""
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return Payload(content={})
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as problem:
        return Payload(content={}, warning=f"cannot read the event in {path}: {problem.strerror}")
    except ValueError:
        content = None
    if not isinstance(content, dict):
        return Payload(content={}, warning=f"cannot read the event in {path}: it is not a JSON object")
    return Payload(content=content)


def read_event(environ: Mapping[str, str], payload: Mapping[str, Any], *, cwd: Path) -> GitHubEvent | None:
    """Return what is known of the run, None when it is not on GitHub. `cwd` is the working directory."""
    repository = environ.get("GITHUB_REPOSITORY")
    run_id = _number(environ.get("GITHUB_RUN_ID"))
    if not repository or run_id is None:
        return None
    name = environ.get("GITHUB_EVENT_NAME", "")
    judged = _read_judged(name, payload, environ)
    return GitHubEvent(
        name=name,
        repository=repository,
        sha=judged.sha,
        ref=judged.ref,
        pull_request=judged.pull_request,
        from_fork=judged.from_fork,
        actor=environ.get("GITHUB_ACTOR", ""),
        run_id=run_id,
        run_attempt=_number(environ.get("GITHUB_RUN_ATTEMPT")) or 1,
        workflow=environ.get("GITHUB_WORKFLOW", ""),
        job=environ.get("GITHUB_JOB", ""),
        step=environ.get("GITHUB_ACTION", ""),
        server_url=(environ.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/"),
        api_url=(environ.get("GITHUB_API_URL") or "https://api.github.com").rstrip("/"),
        prefix=_read_prefix(environ.get("GITHUB_WORKSPACE"), cwd),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What a run judges, as far as its event says."""

    sha: str | None
    ref: str | None = None
    pull_request: PullRequest | None = None
    from_fork: bool = False


def _read_judged(name: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> _Judged:
    repository = environ["GITHUB_REPOSITORY"]
    pushed = _Judged(sha=environ.get("GITHUB_SHA") or None, ref=environ.get("GITHUB_REF") or None)
    if name == "issue_comment":
        return _read_commented(payload, pushed)
    if name == "workflow_run":
        return _read_workflow_run(payload, repository)
    if name == "merge_group":
        return _Judged(sha=_text(payload, "merge_group", "head_sha") or pushed.sha, ref=pushed.ref)
    if name.startswith("pull_request"):
        return _read_pull_request(payload, repository, ref=pushed.ref)
    return pushed


def _read_pull_request(payload: Mapping[str, Any], repository: str, *, ref: str | None) -> _Judged:
    """Read the head commit; GITHUB_SHA is the merge commit, or on pull_request_target the base."""
    number = _dig(payload, "pull_request", "number")
    if not isinstance(number, int):
        in_ref = _PULL_REF.match(ref or "")
        number = int(in_ref[1]) if in_ref else None
    head_sha = _text(payload, "pull_request", "head", "sha")
    return _Judged(
        sha=head_sha,
        ref=ref,
        pull_request=PullRequest(
            number=number, head_sha=head_sha, base_sha=_text(payload, "pull_request", "base", "sha")
        )
        if number is not None
        else None,
        from_fork=_text(payload, "pull_request", "head", "repo", "full_name") != repository,
    )


def _read_commented(payload: Mapping[str, Any], pushed: _Judged) -> _Judged:
    """Read what was commented on. Whose code a pull request is, it does not say; nor one that names nothing."""
    number = _dig(payload, "issue", "number")
    if not isinstance(number, int):
        return replace(pushed, from_fork=True)
    if _dig(payload, "issue", "pull_request") is None:
        return pushed
    return _Judged(sha=None, pull_request=PullRequest(number=number), from_fork=True)


def _read_workflow_run(payload: Mapping[str, Any], repository: str) -> _Judged:
    """Read the run that ended. GitHub names its pull request only when it comes from this repository."""
    head_sha = _text(payload, "workflow_run", "head_sha")
    here = _dig(payload, "repository", "id")
    listed = _dig(payload, "workflow_run", "pull_requests")
    found = [
        PullRequest(number=pull["number"], head_sha=head_sha, base_sha=_text(pull, "base", "sha"))
        for pull in (listed if isinstance(listed, list) else [])
        if isinstance(_dig(pull, "number"), int) and _dig(pull, "base", "repo", "id") == here
    ]
    return _Judged(
        sha=head_sha,
        ref=_text(payload, "workflow_run", "head_branch"),
        pull_request=found[0] if found else None,
        from_fork=_text(payload, "workflow_run", "head_repository", "full_name") != repository,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """What `workflow_run` says of the run that ended; `branch` is `owner:name`, None where its fork is gone."""

    sha: str | None
    url: str | None
    branch: str | None


def read_ended_run(payload: Mapping[str, Any]) -> EndedRun:
    """Read the run that ended; of another event's payload nothing is known."""
    owner = _text(payload, "workflow_run", "head_repository", "owner", "login")
    name = _text(payload, "workflow_run", "head_branch")
    return EndedRun(
        sha=_text(payload, "workflow_run", "head_sha"),
        url=_text(payload, "workflow_run", "html_url"),
        branch=f"{owner}:{name}" if owner and name else None,
    )


def _read_prefix(workspace: str | None, cwd: Path) -> str:
    if not workspace or not cwd.is_relative_to(workspace):
        return ""
    inside = cwd.relative_to(workspace).as_posix()
    return "" if inside == "." else f"{inside}/"


def _dig(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _text(data: Any, *keys: str) -> str | None:
    found = _dig(data, *keys)
    return found if isinstance(found, str) and found else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() else None
