"""`agentlab approve`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("approve", short_help="Make a run or batch the baseline of its scenarios.")
@click.argument("reference", type=TextType(), metavar="RUN|BATCH|RESULTS.JSON")
@click.option("--force", is_flag=True, help="Also what did not pass.")
@click.option(
    "--to", type=TextType(), metavar="FILE", help="Write it into this baseline file as well, to be committed."
)
@database_options
def command(
    reference: str, *, force: bool, to: str | None, database: str | None, config_file: str | None
) -> ExitCode:
    """Approve a run or a batch: `agentlab compare --baseline` compares with what was approved last.

    RUN|BATCH is an id, @last, @prev, or either with :SCENARIO, which approves only what the batch holds of that
    scenario. What is approved is never pruned.

    With --to a batch is also written into a baseline file, a line for each scenario, for `agentlab run --baseline`
    and the Action. Lines of other scenarios stay. It may then be the results.json of any run too, such as one of
    a CI job.
    """
    from agentlab_ci.history import approve_results  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    path = find_history(world, database, config_file)
    return approve_results(reference, world, database=path, force=force, to=to).exit_code
