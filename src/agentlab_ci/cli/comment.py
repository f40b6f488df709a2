"""`agentlab comment`."""

from typing import Any

import click

from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode
from agentlab_ci.settings import CommentSettings


@click.command("comment", short_help="Post stored results to a pull request.")
@click.argument("results", metavar="[RESULTS.JSON]", required=False)
@click.option(
    "--not-judged",
    is_flag=True,
    help="In place of RESULTS.JSON: say in a comment that is there that the run left no results.",
)
@click.option(
    "--pr",
    "pull_request",
    type=click.IntRange(min=1),
    metavar="N",
    help="Pull request; default, where GitHub vouches for the commit: the one that the results name, "
    "or with --not-judged the open one at that commit.",
)
@click.option("--key", metavar="KEY", help="Tells comments apart; default <workflow>/<job>.")
@click.option(
    "--token-env",
    metavar="NAME",
    default=CommentSettings().token_env,
    show_default=True,
    help="Environment variable that holds the token.",
)
@click.option("--repository", metavar="OWNER/NAME", help="Default GITHUB_REPOSITORY.")
@click.option(
    "--head-sha",
    metavar="SHA",
    help="Commit that the results must be of, or that was not judged; default on workflow_run: the one that ran.",
)
@click.option(
    "--working-directory",
    metavar="DIR",
    help="Folder of the repository that the run was in, for links to its files; default: the root.",
)
def command(results: str | None, *, not_judged: bool, **given: Any) -> ExitCode:
    """Post stored results to a pull request, in one comment that is kept up to date.

    For a workflow_run job that comments on a fork's pull request: RESULTS.JSON may come from anybody. It is judged
    again, and posted only if the pull request is still at its commit; a run of a newer commit posts its own. Exit
    code 2 when GitHub refuses.
    """
    if not_judged is (results is not None):
        raise click.UsageError("Give either RESULTS.JSON or --not-judged.")
    from agentlab_ci.commenting import comment_not_judged, comment_on  # noqa: PLC0415 - `--help` needs none of it

    settings = CommentSettings(**given)
    if results is None:
        return comment_not_judged(settings, real_world()).exit_code
    return comment_on(results, settings, real_world()).exit_code
