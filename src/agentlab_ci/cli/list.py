"""`agentlab list`."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentlab_ci.cli.history import database_options, filter_options, find_history, make_filter
from agentlab_ci.cli.options import ValueChoice
from agentlab_ci.cli.world import Lines, find_working_directory, real_world
from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.errors import ExitCode

if TYPE_CHECKING:
    from agentlab_ci.core.config import AgentConfig
    from agentlab_ci.loading.project import Project

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


_config_option = click.option(
    "--config", "config_file", metavar="FILE", help="Default agentlab.config.yaml, if it is there."
)


def _project_options(command: CommandT) -> CommandT:
    """Add the options that say which project is meant."""
    scenarios = click.option(
        "--scenarios",
        "scenario_paths",
        multiple=True,
        metavar="PATH",
        help="Files, folders or globs; may be repeated; default scenarios/.",
    )
    return _config_option(scenarios(command))


@click.group("list", short_help="Show what there is: scenarios, agents, suites, runs or batches.")
def command() -> None:
    """Show what there is: scenarios, agents and suites of the project, and runs and batches that are stored."""


@command.command("scenarios", short_help="Show each scenario, its samples and its place.")
@_project_options
def scenarios(config_file: str | None, scenario_paths: tuple[str, ...]) -> None:
    """Show each scenario with its samples, how many of them must pass, its place and its name."""
    from agentlab_ci.core.policy import choose_sampling  # noqa: PLC0415 - `--help` needs none of it

    project = _load(config_file, scenario_paths)
    rows = []
    for scenario in project.scenarios:
        sampling = choose_sampling(scenario.sampling, project.config.sampling)
        place = f"{scenario.place.path}:{scenario.place.line}"
        needs = f"{sampling.samples}, needs {sampling.needed}"
        tags = ", ".join(scenario.tags)
        rows.append((scenario.id, scenario.type, scenario.suite, tags, needs, place, scenario.name))
    _print_columns(("ID", "TYPE", "SUITE", "TAGS", "SAMPLES", "PLACE", "NAME"), rows)


@command.command("agents", short_help="Show each agent of the config, and where it is.")
@_config_option
def agents(config_file: str | None) -> None:
    """Show each agent of the config, and where it is."""
    from agentlab_ci.loading.project import load_config  # noqa: PLC0415 - `--help` needs none of it

    config = load_config(cwd=find_working_directory(), config_file=config_file)
    rows = [(agent.name, agent.provider, agent.shown_as, _where(agent)) for agent in config.agents]
    _print_columns(("NAME", "PROVIDER", "LABEL", "WHERE"), rows)


@command.command("suites", short_help="Show each suite and suite definition with its scenarios.")
@_project_options
def suites(config_file: str | None, scenario_paths: tuple[str, ...]) -> None:
    """Show each suite with its scenarios, and each suite definition with those that it picks."""
    from agentlab_ci.loading.select import picks  # noqa: PLC0415 - `--help` needs none of it

    project = _load(config_file, scenario_paths)
    by_suite: dict[str, list[str]] = {}
    for scenario in project.scenarios:
        by_suite.setdefault(scenario.suite, []).append(scenario.id)
    rows = [(suite, str(len(ids)), ", ".join(ids)) for suite, ids in by_suite.items()]
    _print_columns(("SUITE", "COUNT", "SCENARIOS"), rows)
    picked = [
        (definition.name, [scenario.id for scenario in project.scenarios if picks(definition, scenario)])
        for definition in project.config.suite_definitions
    ]
    if picked:
        Lines(sys.stdout)("")
        rows = [(name, str(len(ids)), ", ".join(ids)) for name, ids in picked]
        _print_columns(("SUITE DEFINITION", "COUNT", "SCENARIOS"), rows)


@command.command("runs", short_help="Show the runs that are stored, the newest first.")
@filter_options
@click.option("--status", type=ValueChoice(SampleStatus), help="Only those that ended so.")
@database_options
def runs(
    *,
    status: SampleStatus | None,
    limit: int,
    as_json: bool,
    database: str | None,
    config_file: str | None,
    **asked: Any,
) -> ExitCode:
    """Show the runs that are stored, each of one sample, the newest first.

    The time in a run's id is UTC.
    """
    from agentlab_ci.history import show_runs  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    path = find_history(world, database, config_file)
    wanted = make_filter(world, **asked)
    return show_runs(wanted, world, database=path, status=status, limit=limit, as_json=as_json).exit_code


@command.command("batches", short_help="Show the batches that are stored, the newest first.")
@filter_options
@click.option("--verdict", type=ValueChoice(BatchState), help="Only those that ended so.")
@database_options
def batches(
    *,
    verdict: BatchState | None,
    limit: int,
    as_json: bool,
    database: str | None,
    config_file: str | None,
    **asked: Any,
) -> ExitCode:
    """Show the batches that are stored, the newest first: how many of their scenarios and samples passed.

    `no-end`: the batch still runs, or was killed. The time in a batch's id is UTC.
    """
    from agentlab_ci.history import show_batches  # noqa: PLC0415 - `--help` needs none of it

    world = real_world()
    path = find_history(world, database, config_file)
    wanted = make_filter(world, **asked)
    return show_batches(wanted, world, database=path, verdict=verdict, limit=limit, as_json=as_json).exit_code


def _load(config_file: str | None, scenario_paths: tuple[str, ...]) -> "Project":
    from agentlab_ci.loading.project import load_project  # noqa: PLC0415 - `--help` needs none of it

    return load_project(cwd=find_working_directory(), config_file=config_file, scenario_paths=scenario_paths)


def _where(agent: "AgentConfig") -> str:
    from agentlab_ci.core.config import (  # noqa: PLC0415 - `--help` needs none of it
        ExternalProcessAgent,
        HttpAgent,
        OpenAIAgent,
        PythonAgent,
    )
    from agentlab_ci.core.url import safe_url  # noqa: PLC0415

    match agent:
        case HttpAgent():
            return safe_url(agent.url) if agent.url else ""
        case OpenAIAgent():
            return f"{agent.model} at {safe_url(agent.base_url)}"
        case ExternalProcessAgent():
            return " ".join([agent.command, *agent.args])
        case PythonAgent():
            return agent.target
        case _:
            return ""


def _print_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from agentlab_ci.loading.wording import printable  # noqa: PLC0415 - `--help` needs none of it
    from agentlab_ci.reports.columns import align  # noqa: PLC0415

    say = Lines(sys.stdout)
    for line in align(header, [[printable(cell) for cell in row] for row in rows]):
        say(line)
