"""Showing what a step came to: log, step summary, outputs, comment; and files that belong to the runner's user."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agentlab_ci.action.ending import Ending
from agentlab_ci.action.stage import Stage
from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.errors import ExitCode
from agentlab_ci.publish.outputs import outputs_of, write_outputs
from agentlab_ci.publish.owner import hand_over
from agentlab_ci.publish.patience import PUBLISH_SECONDS, Patience
from agentlab_ci.publish.pull_request import find_pull_request, publish_comment
from agentlab_ci.publish.sticky import CommentMode, default_key
from agentlab_ci.publish.summary import append_summary
from agentlab_ci.reports.comment import render_comment, render_not_judged
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.log import problem_annotations
from agentlab_ci.reports.summary import render_problems, render_summary

UNSENT_COMMENT = "comment.md"
_SEARCHED = frozenset({"push", "workflow_run"})
"""Events that name a commit, and maybe not the pull request that it belongs to."""


def publish(ending: Ending, stage: Stage) -> None:
    """Show the ending wherever the inputs want it. Nothing here changes the exit code, not even a bug."""
    for show in (_show_problems, _write_summary, _write_outputs, _publish_comment, _hand_over):
        try:
            show(ending, stage)
        except Exception as problem:  # noqa: BLE001 - the verdict stands, and the rest is still shown
            stage.show_traceback()
            stage.warn(f"not everything was published: {problem}")


def _show_problems(ending: Ending, stage: Stage) -> None:
    for problem in ending.problems:
        stage.world.console.err(for_log(str(problem)))
    if stage.inputs.annotations and stage.world.log_style.github:
        for line in problem_annotations(ending.problems, prefix=stage.prefix):
            stage.world.console.out(line)


def _write_summary(ending: Ending, stage: Stage) -> None:
    file = stage.world.environ.get("GITHUB_STEP_SUMMARY")
    if not file or not stage.inputs.step_summary:
        return
    report, event = ending.outcome.report, stage.world.event
    links = event.links if event else None

    def render(limit: int) -> str:
        if report is None:
            return render_problems(ending.problems, links=links, title=_title(stage), limit=limit)
        return render_summary(
            report, links=links, run_url=event.run_url if event else None, title=_title(stage), limit=limit
        )

    warning = append_summary(Path(file), render)
    if warning is not None:
        stage.warn(warning)


def _write_outputs(ending: Ending, stage: Stage) -> None:
    report = ending.outcome.report
    file = stage.world.environ.get("GITHUB_OUTPUT")
    if file:
        outputs = outputs_of(
            report,
            written=ending.outcome.written,
            report_dir=stage.inputs.run.report.report_dir if report is not None else None,
            prefix=stage.prefix,
        )
        _append_outputs(Path(file), outputs, stage)


def _append_outputs(file: Path, outputs: Mapping[str, str], stage: Stage) -> None:
    try:
        write_outputs(file, outputs)
    except OSError as problem:
        stage.warn(f"the outputs of this step were not written: {problem.strerror}")


def _publish_comment(ending: Ending, stage: Stage) -> None:
    if stage.world.event is None:
        return
    inputs = stage.inputs
    token = inputs.github_token or ""
    patience = Patience(PUBLISH_SECONDS, hurried=lambda: stage.world.interrupts.exit_code is not None)
    event = _find_pull_request(stage.world.event, stage, token, patience)
    comment = publish_comment(
        event,
        lambda marker: _render_comment(ending, event, marker, title=_title(stage)),
        token=token,
        key=inputs.comment_key or default_key(event),
        mode=inputs.comment,
        # What was not judged says so in a comment that is there, and is no reason for a new one.
        update_only=ending.why_not_judged is not None,
        bad_news=ending.exit_code is not ExitCode.OK,
        keep_unsent=lambda body: _keep_unsent(body, stage),
        patience=patience,
    )
    if comment.warning is not None and inputs.comment is not CommentMode.NEVER:
        stage.warn(comment.warning)
    if comment.url is not None and (file := stage.world.environ.get("GITHUB_OUTPUT")):
        _append_outputs(Path(file), {"comment-url": comment.url}, stage)


def _find_pull_request(event: GitHubEvent, stage: Stage, token: str, patience: Patience) -> GitHubEvent:
    if event.pull_request is not None or event.name not in _SEARCHED:
        return event
    search = find_pull_request(event, token=token, patience=patience)
    if search.warning is not None and stage.inputs.comment is not CommentMode.NEVER:
        stage.warn(search.warning)
    return replace(event, pull_request=search.found)


def _render_comment(ending: Ending, event: GitHubEvent, marker: str, *, title: str | None) -> str:
    report, reason = ending.outcome.report, ending.why_not_judged
    if report is None or reason is not None:
        return render_not_judged(reason or "", marker=marker, sha=event.sha, run_url=event.run_url, title=title)
    return render_comment(report, marker=marker, links=event.links, run_url=event.run_url, title=title)


def _title(stage: Stage) -> str | None:
    """Return what tells this step's pages from those of other jobs."""
    return stage.inputs.comment_key or (stage.world.event.job if stage.world.event else None) or None


def _keep_unsent(body: str, stage: Stage) -> str:
    shown = Path(stage.inputs.run.report.report_dir) / UNSENT_COMMENT
    path = stage.world.cwd / shown
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8") as file:  # never through a link of the repository's
        file.write(body)
    return stage.prefix + shown.as_posix()


def _hand_over(ending: Ending, stage: Stage) -> None:
    files = (*ending.outcome.written.values(), f"{stage.inputs.run.report.report_dir}/{UNSENT_COMMENT}")
    created = {*stage.absent, *(stage.world.cwd / file for file in files)}
    for warning in hand_over(sorted(path for path in created if os.path.lexists(path)), workspace=stage.workspace):
        stage.warn(warning)
