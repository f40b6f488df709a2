"""`agentlab comment`."""

from typing import Any

import click

from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode
from agentlab_ci.settings import CommentSettings


@click.command("comment", short_help="Post stored results to a pull request.")
@click.argument("results", metavar="RESULTS.JSON")
@click.option(
    "--pr",
    "pull_request",
    type=click.IntRange(min=1),
    metavar="N",
    help="Pull request; default, where GitHub vouches for the commit: the one that the results name.",
)
@click.option("--key", metavar="KEY", help="Tells comments apart; default <workflow>/<job>/<step>.")
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
    help="Commit that the results must be of; default on workflow_run: the one that ran.",
)
def command(results: str, **given: Any) -> ExitCode:
    """Post stored results to a pull request, in one comment that is kept up to date.

    For a workflow_run job that comments on a fork's pull request: RESULTS.JSON may come from anybody. It is judged
    again, and posted only if the pull request is still at its commit. Exit code 2 when GitHub refuses.
    """
    from agentlab_ci.app import comment_on  # noqa: PLC0415 - `--help` needs none of it

    return comment_on(results, CommentSettings(**given), real_world()).exit_code
