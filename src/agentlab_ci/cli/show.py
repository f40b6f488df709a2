"""`agentlab show`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("show", short_help="Show a stored run or batch.")
@click.argument("reference", type=TextType(), metavar="RUN|BATCH")
@database_options
def command(reference: str, database: str | None, config_file: str | None) -> ExitCode:
    """Show a stored run: its evaluations, turns, tool calls, waits and errors; or a batch: its scenarios and runs.

    RUN|BATCH is the id of a run or a batch, @last (the batch that began last), @prev (the one before), or
    @last:SCENARIO: of the last batch with samples of that scenario, these in full. A batch that still runs, or was
    killed, is shown as far as it is stored.
    """
    from agentlab_ci.history import show  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    return show(reference, world, database=find_history(world, database, config_file)).exit_code
