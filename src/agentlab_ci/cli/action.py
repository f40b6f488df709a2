"""`agentlab action`."""

import click

from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("action", short_help="Run as a GitHub Action: inputs come from INPUT_ variables.")
def command() -> ExitCode:
    """Run as a GitHub Action: what action.yml and composite/action.yml start.

    Inputs come from INPUT_ variables. Beside what `agentlab run` does, it writes the step summary and the outputs,
    and keeps a comment on the pull request.
    """
    from agentlab_ci.action.init import become_init  # noqa: PLC0415 - `--help` needs none of it

    become_init()
    from agentlab_ci.action.entrypoint import run_action  # noqa: PLC0415 - forked before the slow imports

    return run_action(real_world())
