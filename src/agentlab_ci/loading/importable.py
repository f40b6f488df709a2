"""Whether the Python functions that a config names can be imported: tried in processes of their own."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentlab_ci.core.config import CustomTool, PythonAgent
from agentlab_ci.errors import Problem
from agentlab_ci.loading.project import Project
from agentlab_ci.loading.usable import at_config, tools_in_use
from agentlab_ci.loading.yaml_source import Loc
from agentlab_ci.processes.child import ChildGoneError
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.python_worker import WorkerFailedError, open_worker

SECONDS = 30.0
"""What an import may take."""
_MAX_LINE_BYTES = 1 << 20


def find_unimportable(
    project: Project, *, agents: Collection[str], environ: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Return which functions of these agents, by name, and of the tools of all scenarios cannot be imported.

    That is for `validate`: in a run a function that cannot be imported costs its own samples.
    """
    named: list[tuple[Loc, Import]] = []
    for index, agent in enumerate(project.config.agents):
        if isinstance(agent, PythonAgent) and agent.name in agents:
            named.append((("agents", index, "target"), import_of(agent)))
    tools = tools_in_use(project.scenarios)
    for index, tool in enumerate(project.config.tools):
        if tool.name in tools and tool.python_source is not None:
            key = "package" if tool.module_path is None else "module_path"
            named.append((("tools", index, key), import_of(tool)))
    faults = try_imports([wanted for _, wanted in named], project=project.root, environ=environ)
    return tuple(
        problem
        for (loc, _), fault in zip(named, faults, strict=True)
        if fault is not None
        for problem in at_config(project, loc[:2], [(loc[2:], fault)])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A function to import, and the interpreter and environment variables that it is to be imported with."""

    request: Mapping[str, str]
    python: str | None = None
    env_allowlist: tuple[str, ...] = ()


def import_of(named: PythonAgent | CustomTool) -> Import:
    """Return what an agent, or a tool that is no command, imports."""
    if isinstance(named, PythonAgent):
        module, _, attribute = named.target.partition(":")
        request = {"module": module, "attribute": attribute}
        return Import(request=request, python=named.python, env_allowlist=named.env_allowlist)
    return Import(request=named.python_source or {}, env_allowlist=named.env_allowlist)


def try_imports(imports: Sequence[Import], *, project: Path, environ: Mapping[str, str]) -> list[str | None]:
    """Import each in a process of its own, all at once; returns why it cannot be, None where it can."""

    async def try_all() -> list[str | None]:
        return await asyncio.gather(*(_try(wanted, project, environ) for wanted in imports))

    return asyncio.run(try_all()) if imports else []


async def _try(wanted: Import, project: Path, environ: Mapping[str, str]) -> str | None:
    env = child_environment(environ, wanted.env_allowlist)
    try:
        async with asyncio.timeout(SECONDS), open_worker(wanted.python, project, env, _MAX_LINE_BYTES) as worker:
            await worker.call({"do": "import", **wanted.request})
    except TimeoutError:
        return f"its import did not end within {SECONDS:g} s"
    except WorkerFailedError as failed:
        hint = "; `python` in the config names the interpreter that has it"
        missing = failed.type == ModuleNotFoundError.__name__
        return f"cannot be imported: {failed}{hint if missing and wanted.python is None else ''}"
    except ChildGoneError as gone:
        return f"cannot be imported: its process is gone: {gone}"
    except OSError as problem:
        return f"cannot be imported: {wanted.python or 'Python'} does not start: {problem.strerror or problem}"
    return None
