"""`agentlab prune`."""

from datetime import timedelta

import click

from agentlab_ci.cli.history import AgeType, database_options, find_history
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("prune", short_help="Remove old batches from the history.")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="All but the newest N.")
@click.option(
    "--older-than", type=AgeType(), metavar="AGE", help="Those that began longer ago, such as 30d, 12h or 4w."
)
@click.option("--dry-run", is_flag=True, help="Only name what would be removed.")
@database_options
def command(
    *,
    keep: int | None,
    older_than: timedelta | None,
    dry_run: bool,
    database: str | None,
    config_file: str | None,
) -> ExitCode:
    """Remove old batches with all their runs, and give back the space.

    What is approved stays, and so does a batch without end that has begun a sample within the last day: it may
    still run.
    """
    if (keep is None) is (older_than is None):
        raise click.UsageError("Give either --keep N or --older-than AGE.")
    from agentlab_ci.history import prune_batches  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    path = find_history(world, database, config_file)
    return prune_batches(world, database=path, keep=keep, older_than=older_than, dry_run=dry_run).exit_code
