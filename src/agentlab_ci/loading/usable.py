"""Whether what a run uses can be used here: variables set, commands and files there. Looked at, never started."""

import errno
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from agentlab_ci.core.config import (
    AgentConfig,
    CustomTool,
    Endpoint,
    ExternalProcessAgent,
    HttpAgent,
    OpenAIAgent,
    PythonAgent,
)
from agentlab_ci.core.scenario import Scenario, Simulation, Task
from agentlab_ci.errors import Problem
from agentlab_ci.loading.config_names import Finding
from agentlab_ci.loading.files import is_file, is_folder, is_inside, is_there
from agentlab_ci.loading.placeholders import env_placeholders_of
from agentlab_ci.loading.project import Project
from agentlab_ci.loading.wording import LONGEST_SHOWN, printable, quoted
from agentlab_ci.loading.yaml_source import Loc, format_loc
from agentlab_ci.tools.registry import BUILTIN_TOOLS, FIXTURE_OF, FixtureError, read_records


def find_unusable(
    project: Project, *, agents: Collection[str], scenarios: Collection[Scenario], environ: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Return what stands in the way of these agents, by name, and of these scenarios with their tools and scripts.

    A variable that is set to nothing counts as unset: that is what a missing secret looks like in CI.
    """
    problems: list[Problem] = []
    for index, agent in enumerate(project.config.agents):
        if agent.name in agents:
            problems += at_config(project, ("agents", index), _check_agent(agent, project.root, environ))
    tools = tools_in_use(scenarios)
    for index, tool in enumerate(project.config.tools):
        if tool.name in tools:
            problems += at_config(project, ("tools", index), _check_tool(tool, project.root, environ))
    if tools or any(scenario.setup_script for scenario in scenarios):
        problems += _check_fixtures(project, tools)
    for scenario in scenarios:
        problems += _check_script(scenario, project.root)
    simulations = [scenario for scenario in scenarios if isinstance(scenario.body, Simulation)]
    if simulations:
        problems += _check_models(project, simulations[0], environ)
    return tuple(problems)


def has_simulations(scenarios: Iterable[Scenario]) -> bool:
    """Tell whether any of the scenarios needs the simulator and the judge."""
    return any(isinstance(scenario.body, Simulation) for scenario in scenarios)


def tools_in_use(scenarios: Collection[Scenario]) -> frozenset[str]:
    """Return the names of the tools that the scenarios allow."""
    return frozenset(tool for s in scenarios if isinstance(s.body, Task) for tool in s.body.tools_allowed)


def agents_in_use(project: Project) -> frozenset[str]:
    """Return the names of the agents that runs without `--agent` and `--provider` use.

    Those that a scenario or a variant names, and the only one of the config.
    """
    named = {scenario.agent for scenario in project.scenarios if scenario.agent is not None}
    variants = {variant.agent for group in project.config.variant_sets for variant in group.variants}
    only = {agent.name for agent in project.config.agents} if len(project.config.agents) == 1 else set()
    return frozenset(named | variants | only)


def at_config(project: Project, base: Loc, findings: Iterable[Finding]) -> Iterator[Problem]:
    """Yield findings in a part of the config, which stands at `base`, as problems with their places."""
    for loc, message in findings:
        found = base + loc
        while found not in project.config_places and found:
            found = found[:-1]
        place = project.config_places[found]
        yield Problem(
            path=place.path, line=place.line, column=place.column, where=format_loc(base + loc), message=message
        )


def _check_agent(agent: AgentConfig, root: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    for loc, variable in env_placeholders_of(agent):
        if not environ.get(variable):
            yield loc, f"the environment variable {quoted(variable)} is not set or empty"
    match agent:
        case HttpAgent(url=None):
            yield (), f"HTTP agents require a configured url: add `url:` to {quoted(agent.name)}"
        case OpenAIAgent() if not environ.get(agent.api_key_env):
            yield ("api_key_env",), _lacks_key(agent, quoted(agent.name))
        case ExternalProcessAgent():
            if not is_folder(root / agent.cwd):
                yield ("cwd",), f"there is no folder {quoted(agent.cwd)}"
            elif why := _why_not_run(agent.command, root / agent.cwd, environ):
                yield ("command",), why
        case PythonAgent() if agent.python is not None and (why := _why_not_run(agent.python, root, environ)):
            yield ("python",), why
        case _:
            return


def _check_models(project: Project, first: Scenario, environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what the simulations lack, of which `first` is the first: one word is enough for all of them."""
    models = {"simulator": (project.config.simulator, "plays the user"), "judge": (project.config.judge, "judges")}
    for section, (endpoint, work) in models.items():
        if endpoint is None:
            place = first.place
            example = f"`{section}: {{model: …, base_url: …, api_key_env: …}}`"
            message = f"a simulation needs a model that {work}: add {example} to the config"
            yield Problem(path=place.path, line=place.line, column=place.column, message=message)
        elif not environ.get(endpoint.api_key_env):
            yield from at_config(project, (section,), [(("api_key_env",), _lacks_key(endpoint, f"the {section}"))])


def _lacks_key(endpoint: Endpoint, owner: str) -> str:
    said = f"{endpoint.api_key_env} is required: {owner} takes its key from it"
    elsewhere = endpoint.base_url != Endpoint.model_fields["base_url"].default
    return f"{said}; any text will do for a server that asks for no key" if elsewhere else said


def _check_tool(tool: CustomTool, root: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    path = tool.module_path
    if path is not None and Path(path).suffix != ".py":
        instead = "a Python module here, or `command: [node, …]` with a program that reads and prints JSON"
        yield ("module_path",), f"{quoted(path)} is not Python: write {instead}"
    elif path is not None and not is_file(root / path):
        yield ("module_path",), f"there is no file {quoted(path)}"
    if tool.command and (why := _why_not_run(tool.command[0], root, environ)):
        yield ("command",), why


def _check_fixtures(project: Project, tools: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with the project's own files that these tools read in the place of shipped ones.

    All of its `fixtures` may be copied for a tool or a setup script, so they have to be the project's.
    """
    if is_there(project.root / "fixtures") and not is_inside(project.root, project.root / "fixtures"):
        shown = (Path(project.config_file or "").parent / "fixtures").as_posix()
        yield Problem(path=shown, message="is outside of the project, or in its `.git`")
        return
    kinds = {FIXTURE_OF[tool]: BUILTIN_TOOLS[tool].fixture for tool in tools if tool in BUILTIN_TOOLS}
    for name, kind in sorted(kinds.items()):
        path = project.root / name
        if not is_there(path):
            continue
        shown = (Path(project.config_file or "").parent / name).as_posix()
        if not is_inside(project.root, path):
            yield Problem(path=shown, message="is outside of the project, or in its `.git`")
            continue
        try:
            read_records(path, kind)
        except FixtureError as problem:
            yield Problem(path=shown, line=problem.line, column=problem.column, message=problem.message)


def _check_script(scenario: Scenario, root: Path) -> Iterator[Problem]:
    script = scenario.setup_script
    if script is None:
        return
    path = root / script
    if not is_file(path):
        message = f"there is no file {quoted(script)}"
    elif path.suffix != ".py" and not os.access(path, os.X_OK):
        message = f"{quoted(script)} is neither a `.py` file nor executable: `chmod +x` it"
    else:
        return
    place = scenario.place
    yield Problem(path=place.path, line=place.line, column=place.column, where="setup_script", message=message)


def _why_not_run(command: str, folder: Path, environ: Mapping[str, str]) -> str | None:
    """Say what a start of the command in that folder would fail with; None if there is something to start."""
    problem = errno.ENOENT
    if os.path.dirname(command):  # noqa: PTH120 - `./agent` and `agent` differ, which Path forgets
        if is_file(folder / command):
            problem = errno.EACCES
            if os.access(folder / command, os.X_OK):
                return None
    elif "\0" not in command and shutil.which(command, path=environ.get("PATH", os.defpath)):
        return None
    from agentlab_ci.processes.child import Command  # noqa: PLC0415 - most runs start no process
    from agentlab_ci.processes.starting import explain_start_failure  # noqa: PLC0415

    tried = Command(argv=(printable(command[:LONGEST_SHOWN]),), cwd=folder, env=environ)
    return explain_start_failure(tried, OSError(problem, os.strerror(problem)))
