"""`agentlab compare`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType, ValueChoice
from agentlab_ci.cli.world import real_world
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.errors import BadInputError, ExitCode


@click.command("compare", short_help="Show what became better or worse between two runs or batches.")
@click.argument("references", nargs=-1, metavar="OLD NEW")
@click.option(
    "--baseline",
    type=TextType(),
    metavar="SCENARIO",
    help="In place of OLD: what was approved last of this scenario.",
)
@click.option("--suite", is_flag=True, help="Refuse batches that are not of the same scenarios.")
@click.option(
    "--format",
    "output",
    type=ValueChoice(CompareFormat),
    default=CompareFormat.TEXT.value,
    show_default=True,
    help="How it is printed.",
)
@database_options
def command(
    references: tuple[str, ...],
    *,
    baseline: str | None,
    suite: bool,
    output: CompareFormat,
    database: str | None,
    config_file: str | None,
) -> ExitCode:
    """Show what became better or worse between two runs, or between two batches scenario by scenario.

    OLD and NEW are run ids, batch ids, @last, @prev, @last:SCENARIO, or files of results such as
    agentlab-report/results.json. Their agents may differ.

    Exit code 1 when something regressed: a verdict that went from passed to failed, or a hard gate that always
    passed and now mostly fails. Fewer passes within the bar, runtime and steps are shown and never a regression;
    nor is what cannot be compared, such as a scenario that has changed.
    """
    if suite and len(references) < 2:
        raise BadInputError("Missing baseline or candidate suite batch id: agentlab compare --suite OLD NEW")
    if suite and baseline is not None:
        raise click.UsageError("Give either --suite or --baseline.")
    wanted = 2 if baseline is None else 1
    if len(references) != wanted:
        named = "OLD and NEW" if baseline is None else "NEW, and no OLD, with --baseline"
        raise click.UsageError(f"Give {named}.")
    from agentlab_ci.comparing import (  # noqa: PLC0415 - `--help` needs none of it
        compare_suites,
        compare_two,
        compare_with_baseline,
    )

    world = real_world()
    path = find_history(world, database, config_file)
    if baseline is not None:
        return compare_with_baseline(baseline, references[0], world, database=path, output=output).exit_code
    compare = compare_suites if suite else compare_two
    return compare(references[0], references[1], world, database=path, output=output).exit_code
