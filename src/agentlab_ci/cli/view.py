"""`agentlab view`."""

import os

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.terminal import has_terminal
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import BadInputError, ExitCode


@click.command("view", short_help="Look at a stored batch in the terminal.")
@click.argument("reference", type=TextType(), metavar="BATCH|FILE")
@database_options
def command(reference: str, database: str | None, config_file: str | None) -> ExitCode:
    """Look at a stored batch in the terminal, as at a run that goes on: its scenarios, samples and transcripts.

    BATCH|FILE is the id of a batch, @last (the batch that began last), @prev (the one before), or the path of a
    results.json. A batch that still runs, or was killed, is shown as far as it is stored.
    """
    if not has_terminal(os.environ):
        raise BadInputError(
            "view needs a terminal, and a TERM that is not dumb; `agentlab show` prints a stored batch anywhere"
        )
    from agentlab_ci.watching import view_stored  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    return view_stored(reference, world, database=find_history(world, database, config_file)).exit_code
