"""`agentlab run`."""

import os
from typing import Any

import click
from click.core import ParameterSource

from agentlab_ci.cli.options import SecondsType, TextType, ValueChoice, report_options
from agentlab_ci.cli.terminal import has_terminal
from agentlab_ci.cli.world import real_world
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.sampling import MAX_SAMPLES, PassRate
from agentlab_ci.errors import ExitCode
from agentlab_ci.settings import ReportSettings, RunSettings


@click.command("run", short_help="Run scenarios against an agent and judge them.")
@click.argument("ids", nargs=-1, metavar="[ID|GLOB]...")
@click.option("--suite", type=TextType(), metavar="S", help="Only scenarios of this suite.")
@click.option(
    "--suite-def", type=TextType(), metavar="D", help="Only what this suite definition of the config picks."
)
@click.option(
    "--tag",
    "tags",
    type=TextType(),
    multiple=True,
    metavar="T",
    help="Only scenarios with this tag; repeated: with any of them.",
)
@click.option(
    "--scenarios",
    "scenario_paths",
    type=TextType(),
    multiple=True,
    metavar="PATH",
    help="Files, folders or globs; may be repeated; default scenarios/.",
)
@click.option(
    "--config",
    "config_file",
    type=TextType(),
    metavar="FILE",
    help="Default agentlab.config.yaml, if it is there.",
)
@click.option("--agent", type=TextType(), metavar="A", help="Run everything on this agent of the config.")
@click.option(
    "--provider",
    type=ValueChoice(list(Provider)),
    help="Run everything on the config's one agent of this kind.",
)
@click.option(
    "--variant-set",
    type=TextType(),
    metavar="V",
    help="Run everything on each variant of this set of the config, to compare them.",
)
@click.option(
    "-k", "--samples", type=click.IntRange(1, MAX_SAMPLES), metavar="K", help="Samples of each scenario."
)
@click.option(
    "--stop-when-settled/--no-stop-when-settled",
    default=None,
    help="Start no sample that cannot change a verdict.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    metavar="N",
    envvar="AGENTLAB_CONCURRENCY",
    help="Samples that run at once.",
)
@click.option(
    "--timeout",
    type=SecondsType(),
    metavar="S",
    help="Seconds for the whole run; what is not done by then is unfinished.",
)
@click.option(
    "--db",
    "database",
    type=TextType(),
    metavar="FILE",
    envvar="AGENTLAB_DB",
    help="History; default artifacts/agentlab.db.",
)
@click.option(
    "--no-tui",
    is_flag=True,
    help="Print the log in a terminal too, where the run is else shown live unless CI is set.",
)
@click.option("--dry-run", is_flag=True, help="Print what would run, and call no agent.")
@click.option(
    "--demo", is_flag=True, help="Show a regression from its cause to its diff, offline and nowhere else."
)
@report_options
def command(pass_rate: PassRate | None, *, demo: bool, no_tui: bool, **given: Any) -> ExitCode:
    """Run scenarios against an agent and judge them.

    Without IDs, all of them. An ID may be a glob, such as 'support.*'.
    """
    if demo:
        return _tell_demo()
    from agentlab_ci.app import run_scenarios  # noqa: PLC0415 - `--help` needs none of it

    report = ReportSettings(
        pass_rate=pass_rate,
        **{
            name: given.pop(name)
            for name in ("require_finished", "baseline", "fail_on", "report_dir", "formats", "junit_style")
        },
    )
    settings = RunSettings(report=report, **given)
    if no_tui or settings.dry_run or os.environ.get("CI") or not has_terminal(os.environ):
        return run_scenarios(settings, real_world()).exit_code
    from agentlab_ci.watching import run_watched  # noqa: PLC0415 - only where it is shown

    return run_watched(settings, real_world()).exit_code


def _tell_demo() -> ExitCode:
    context = click.get_current_context()
    given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if given != {"demo"}:
        raise click.UsageError("--demo runs a project of its own: give it nothing else.")
    from agentlab_ci.demo import tell_demo  # noqa: PLC0415 - `--help` needs none of it

    return tell_demo(real_world()).exit_code
