"""`agentlab judge-check`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("judge-check", short_help="Judge stored transcripts again, to see how far that agrees.")
@click.argument("reference", type=TextType(), metavar="BATCH|RUN|RESULTS.JSON")
@click.option(
    "-n",
    "times",
    type=click.IntRange(1, 100),
    metavar="N",
    default=5,
    show_default=True,
    help="How often each transcript is judged.",
)
@database_options
def command(reference: str, *, times: int, database: str | None, config_file: str | None) -> ExitCode:
    """Judge the transcripts of stored simulations again, N times each, with the config's judge.

    Prints for each sample the stored judgement and how many of the N agree with it, then the share of all, with
    its 95% interval, and apart for what was met and what was not. Replies that are no judgement are counted apart.
    No agent is called, and nothing is stored.

    BATCH|RUN is an id, @last, @prev, or either of them with :SCENARIO.
    """
    from agentlab_ci.rejudging import check_judge  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    path = find_history(world, database, config_file)
    return check_judge(reference, world, database=path, config_file=config_file, times=times).exit_code
