"""`agentlab generate`."""

import sys
from pathlib import Path

import click

from agentlab_ci.cli.init import print_scaffold
from agentlab_ci.cli.options import TextType, ValueChoice
from agentlab_ci.cli.world import Lines
from agentlab_ci.core.domain import Domain


@click.command("generate", short_help="Add scenarios to a project, to start from.")
@click.argument("folder", metavar="[DIR]", type=TextType(), default=".")
@click.option("--domain", type=ValueChoice(Domain), required=True, help="What the scenarios are about.")
@click.option(
    "--count", type=click.IntRange(1, 100), metavar="N", default=1, show_default=True, help="How many are added."
)
def command(folder: str, *, domain: Domain, count: int) -> None:
    """Add scenarios to the project in DIR, by default here, as a start for those of your own.

    Tasks and conversations in turn, as far as the agents of its config run them, on the records that come with the
    built-in tools. Ids are unique in the project, and nothing is overwritten.
    """
    from agentlab_ci.scaffolding import generate_scenarios  # noqa: PLC0415 - `--help` needs none of it

    scaffold = generate_scenarios(Path(folder), domain, count)
    print_scaffold(scaffold, folder)
    Lines(sys.stdout)("change them into what must not go wrong with your agent, then: agentlab validate")
