"""The story of `agentlab comment`: what another job left becomes the comment of a pull request."""

from collections.abc import Callable
from dataclasses import replace

from agentlab_ci.app import Outcome, World
from agentlab_ci.core.judge import regate
from agentlab_ci.errors import ExitCode
from agentlab_ci.publish.artifact import read_artifact
from agentlab_ci.publish.event import read_payload
from agentlab_ci.publish.patience import PUBLISH_SECONDS, Patience
from agentlab_ci.publish.posting import post
from agentlab_ci.publish.second_stage import Target, choose_target, choose_unjudged
from agentlab_ci.reports.comment import render_comment, render_not_judged
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.results_file import read_results_of
from agentlab_ci.settings import CommentSettings

NO_RESULTS = "no results of its run were found; the run's log and summary say why"


def comment_on(results_file: str, settings: CommentSettings, world: World) -> Outcome:
    """Post the results of another job, which anybody may have written, to the pull request that they are of."""
    report = regate(
        read_results_of(read_artifact(world.cwd / results_file, shown=results_file), shown=results_file)
    )
    payload = read_payload(world.environ).content
    target = choose_target(settings, report.source, environ=world.environ, payload=payload, now=world.now())

    def render(marker: str) -> str:
        return render_comment(
            report, marker=marker, links=target.event.links, run_url=target.run_url, title=settings.key
        )

    return replace(_post(target, render, settings, world), report=report)


def comment_not_judged(settings: CommentSettings, world: World) -> Outcome:
    """Say in a comment that is there that the run of another job has left no results."""
    payload = read_payload(world.environ).content
    target = choose_unjudged(settings, environ=world.environ, payload=payload, now=world.now())

    def render(marker: str) -> str:
        return render_not_judged(
            NO_RESULTS, marker=marker, sha=target.commit, run_url=target.run_url, title=settings.key
        )

    return _post(target, render, settings, world, update_only=True)


def _post(
    target: Target,
    render: Callable[[str], str],
    settings: CommentSettings,
    world: World,
    *,
    update_only: bool = False,
) -> Outcome:
    token = world.environ.get(settings.token_env, "")
    redactor = Redactor(world.secrets | {token})
    with redactor.masking_errors():
        posted = post(
            target,
            render,
            token=token,
            key=settings.key,
            update_only=update_only,
            patience=Patience(PUBLISH_SECONDS, hurried=lambda: world.interrupts.exit_code is not None),
        )
    if posted.warning is not None:
        world.warn(redactor.text(posted.warning))
    world.console.out(for_log(redactor.text(posted.line)))
    return Outcome(exit_code=ExitCode.OK)
