"""`agentlab export`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType, ValueChoice
from agentlab_ci.cli.world import print_whole, real_world
from agentlab_ci.settings import ResultsSource


@click.command("export", short_help="Print a stored batch as JSON, for other tools.")
@click.argument("reference", type=TextType(), metavar="BATCH")
@click.option(
    "--as",
    "form",
    type=ValueChoice(ResultsSource),
    default=ResultsSource.AGENTLAB.value,
    show_default=True,
    help="Whose form: agentlab's own results.json, or what `lk agent simulate export` prints.",
)
@database_options
def command(reference: str, form: ResultsSource, database: str | None, config_file: str | None) -> None:
    """Print a batch as JSON, whole or not at all.

    BATCH is the id of a batch, @last (the batch that began last), @prev (the one before), or a results.json. A
    batch that still runs, or was killed, is refused. LiveKit's form keeps verdicts; labels, evaluators, skipped
    scenarios, and whether a sample failed or could not be judged, are lost. Runs of variant sets, and those whose
    scenarios are sampled differently, it cannot hold.
    """
    from agentlab_ci.exporting import export_batch  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    content = export_batch(reference, world, database=find_history(world, database, config_file), form=form)
    print_whole(content)
