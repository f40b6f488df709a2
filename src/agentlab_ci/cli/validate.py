"""`agentlab validate`."""

import click

from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("validate", short_help="Check config and scenarios without calling an agent.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--config", "config_file", metavar="FILE", help="Default agentlab.config.yaml, if it is there.")
def command(paths: tuple[str, ...], config_file: str | None) -> ExitCode:
    """Check config and scenarios without calling an agent, and name every problem with its place.

    PATHs are scenario files, folders or globs; default scenarios/. What the scenarios use must be usable here too:
    environment variables, commands, tools and scripts of the agents that a scenario or a variant names, or of the
    only agent.
    """
    from agentlab_ci.app import check_files  # noqa: PLC0415 - `--help` needs none of it

    return check_files(paths, config_file, real_world()).exit_code
