"""`agentlab validate`."""

import os
import sys

import click

from agentlab_ci.cli.world import Lines, find_working_directory


@click.command("validate", short_help="Check config and scenarios without calling an agent.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--config", "config_file", metavar="FILE", help="Default agentlab.config.yaml, if it is there.")
def command(paths: tuple[str, ...], config_file: str | None) -> None:
    """Check config and scenarios without calling an agent, and name every problem with its place.

    PATHs are scenario files, folders or globs; default scenarios/. What the scenarios use must be usable here too:
    environment variables, commands, tools and scripts of the agents that a scenario or a variant names, or of the
    only agent.
    """
    from agentlab_ci.core.text import plural  # noqa: PLC0415 - `--help` needs none of it
    from agentlab_ci.errors import InvalidFilesError  # noqa: PLC0415
    from agentlab_ci.loading.project import load_project  # noqa: PLC0415
    from agentlab_ci.loading.usable import agents_in_use, find_unusable  # noqa: PLC0415
    from agentlab_ci.reports.escape import for_log  # noqa: PLC0415

    project = load_project(cwd=find_working_directory(), config_file=config_file, scenario_paths=paths)
    say = Lines(sys.stdout)
    for note in project.notes:
        say(for_log(f"note: {note}"))
    problems = find_unusable(
        project, agents=agents_in_use(project), scenarios=project.scenarios, environ=os.environ
    )
    if problems:
        raise InvalidFilesError(problems)
    say(f"{plural(len(project.scenarios), 'scenario')}, {plural(len(project.config.agents), 'agent')}: valid")
