"""The story that `agentlab run --demo` tells: a run, its approval, a change to the agent, and what it broke."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agentlab_ci.app import Outcome, World, run_scenarios
from agentlab_ci.comparing import compare_two
from agentlab_ci.core.domain import Domain
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.core.provider import Provider
from agentlab_ci.errors import ExitCode
from agentlab_ci.history import approve_results
from agentlab_ci.scaffolding import init_project
from agentlab_ci.settings import RunSettings
from agentlab_ci.store.location import DATABASE

_CHANGED = "work.py"
_BEFORE = '        if order["duplicate_group"] in seen:\n'
_AFTER = '        if order["duplicate_group"]:\n'
"""It refunds the first order that was charged twice, not the second: a mistake that reads well."""
_OPENING = "A demo, offline, in a folder that is gone afterwards. After each $ stands what you would type."
_LESSON = f"""\
Somebody tidies up the agent. In {_CHANGED}:

-{_BEFORE}+{_AFTER}"""
_ENDING = "Its exit code is 1, which makes a job in CI red. Now a project of your own: agentlab init"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A command of the story. `says` is told before it, and `code` is how it has to end."""

    says: str
    command: str
    act: Callable[[], Outcome]
    code: ExitCode = ExitCode.OK


def tell_demo(world: World) -> Outcome:
    """Tell the story with the real commands, in a temporary folder.

    Its exit code is 0, or that of the first command which ends otherwise than the story says, as when it is
    interrupted.
    """
    with tempfile.TemporaryDirectory(prefix="agentlab-demo-") as folder:
        there = _move(world, Path(folder))
        init_project(there.cwd, Provider.PYTHON, Domain.SUPPORT)
        world.console.out(_OPENING)
        for step in _steps(there):
            for line in ("", *step.says.splitlines(), "", f"$ {step.command}"):
                world.console.out(line)
            outcome = step.act()
            if outcome.exit_code is not step.code:
                return Outcome(exit_code=outcome.exit_code)
    world.console.out(f"\n{_ENDING}")
    return Outcome(exit_code=ExitCode.OK)


def _move(world: World, folder: Path) -> World:
    """Return the world without what leads out of the folder, or into the job that the demo runs in."""
    environ = {name: text for name, text in world.environ.items() if name != "AGENTLAB_DB"}
    style = replace(world.log_style, github=False)
    return replace(world, cwd=folder, environ=environ, log_style=style, event=None)


def _steps(world: World) -> Iterator[_Step]:
    """Yield the steps; what comes between two of them happens when the second is asked for."""
    database = world.cwd / DATABASE
    yield _Step(
        says="A new project: a conversation and a task for an agent in Python, three samples of each.",
        command="agentlab run",
        act=lambda: run_scenarios(RunSettings(), world),
    )
    yield _Step(
        says="This is how it should be, and is kept as what later runs are compared with.",
        command="agentlab approve @last",
        act=lambda: approve_results("@last", world, database=database, force=False),
    )
    _change_agent(world.cwd / _CHANGED)
    yield _Step(
        says=_LESSON,
        command="agentlab run",
        act=lambda: run_scenarios(RunSettings(), world),
        code=ExitCode.BELOW_BAR,
    )
    yield _Step(
        says="What is different, and what of it is worse?",
        command="agentlab compare @prev @last",
        act=lambda: compare_two("@prev", "@last", world, database=database, output=CompareFormat.TEXT),
        code=ExitCode.BELOW_BAR,
    )


def _change_agent(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    if text.count(_BEFORE) != 1:
        raise LookupError(f"{file.name} does not hold the line that the story changes")
    file.write_text(text.replace(_BEFORE, _AFTER), encoding="utf-8")
