"""`agentlab report`."""

from typing import Any

import click

from agentlab_ci.cli.options import ValueChoice, report_options
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode
from agentlab_ci.settings import ReportSettings, ResultsSource


@click.command("report", short_help="Render and gate stored results again.")
@click.argument("results", metavar="FILE")
@click.option(
    "--from",
    "source",
    type=ValueChoice(ResultsSource),
    default=ResultsSource.AGENTLAB.value,
    show_default=True,
    help="Whose results FILE holds. `livekit`: what `lk agent simulate export RUN` prints.",
)
@report_options
def command(results: str, source: ResultsSource, **given: Any) -> ExitCode:
    """Render and gate stored results again, without calling an agent.

    FILE is the results.json of a run, or with --from another tool's export of one; - is standard input. The
    reports of that run are written anew, unless --report-dir says another folder.
    """
    from agentlab_ci.app import report_again  # noqa: PLC0415 - `--help` needs none of it

    return report_again(results, ReportSettings(**given), real_world(), source=source).exit_code
