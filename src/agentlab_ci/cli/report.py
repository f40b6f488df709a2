"""`agentlab report`."""

from typing import Any

import click

from agentlab_ci.cli.options import report_options
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode
from agentlab_ci.settings import ReportSettings


@click.command("report", short_help="Render and gate stored results again.")
@click.argument("results", metavar="RESULTS.JSON")
@report_options
def command(results: str, **given: Any) -> ExitCode:
    """Render and gate stored results again, without calling an agent.

    RESULTS.JSON is the results.json of a run. The reports of that run are written anew, unless --report-dir
    says another folder.
    """
    from agentlab_ci.app import report_again  # noqa: PLC0415 - `--help` needs none of it

    return report_again(results, ReportSettings(**given), real_world()).exit_code
