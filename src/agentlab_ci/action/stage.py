"""Where one step of the Action plays: its inputs, its folder, its event."""

import os
import re
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from agentlab_ci.action.inputs import ActionInputs
from agentlab_ci.app import World
from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.core.url import user_info
from agentlab_ci.errors import Problem
from agentlab_ci.loading.livekit_run import MAX_BYTES
from agentlab_ci.loading.project import CONFIG_NAME, read_config_text
from agentlab_ci.loading.secrets import guess_secrets, proxy_userinfo
from agentlab_ci.publish.event import read_event, read_payload
from agentlab_ci.publish.owner import not_there_yet
from agentlab_ci.publish.trust import PRIVILEGED_EVENTS
from agentlab_ci.reports.escape import log_lines
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.settings import ReportSettings
from agentlab_ci.store.location import DATABASE

_USER_INFO = re.compile(r"(:/+)[^\s/?#]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is known before the run.

    `world.cwd` is the working directory inside `workspace`. `absent` are the files and folders that the run may
    create there and that are not there yet.
    """

    inputs: ActionInputs
    world: World
    workspace: Path
    absent: tuple[Path, ...] = ()

    @property
    def prefix(self) -> str:
        """The path from the workspace to the working directory, empty or ending in a slash."""
        inside = self.world.cwd.relative_to(self.workspace).as_posix()
        return "" if inside == "." else f"{inside}/"

    def mask(self, text: str) -> str:
        """Return the text without the secrets known before the config is read, and without user info in URLs."""
        return _USER_INFO.sub(r"\1***@", Redactor(self.world.secrets).text(text))

    def mask_problem(self, problem: Problem) -> Problem:
        """Return the problem with its texts masked."""
        path, where, message = map(self.mask, (problem.path, problem.where, problem.message))
        return replace(problem, path=path, where=where, message=message)

    def show_traceback(self) -> None:
        """Print the exception that is being handled on stderr, without what a config may name as secret."""
        config = read_config_text(cwd=self.world.cwd, config_file=self.inputs.run.config_file)
        known = Redactor(guess_secrets(config, self.world.environ))
        self.show_bug(known.text(traceback.format_exc()))

    def show_bug(self, text: str) -> None:
        """Print a traceback on stderr, without the secrets of the step."""
        for line in log_lines(self.mask(text)):
            self.world.console.err(line)

    def warn(self, text: str) -> None:
        """Say a warning, without the secrets of the step."""
        self.world.warn(self.mask(text))


def set_stage(inputs: ActionInputs, world: World) -> Stage:
    """Look around. Nothing is relative to the process's own folder: the runner replaces the image's."""
    workspace = Path(os.path.normpath(world.environ.get("GITHUB_WORKSPACE") or world.cwd))
    folder, problem = _find_folder(workspace, inputs.working_directory)
    if problem is not None:
        inputs = replace(inputs, problems=(*inputs.problems, f"input `working-directory`: {problem}"))
    inputs = _check_report_dir(inputs, workspace=workspace, folder=folder)
    inputs = _check_export(inputs, workspace=workspace, folder=folder)
    payload = read_payload(world.environ)
    event = read_event(world.environ, payload.content, cwd=folder)
    if event is not None and inputs.pr_number is not None:
        event = _at_pull_request(event, inputs.pr_number)
    beside_config = (folder / (inputs.run.config_file or CONFIG_NAME)).parent
    database = inputs.run.database or world.environ.get("AGENTLAB_DB") or beside_config / DATABASE
    places = (inputs.run.report.report_dir, database)
    secrets = world.secrets.union(
        filter(None, [inputs.github_token]), user_info(inputs.wait_for_url or ""), proxy_userinfo(world.environ)
    )
    stage = Stage(
        inputs=inputs,
        world=replace(world, cwd=folder, event=event, secrets=secrets),
        workspace=workspace,
        absent=tuple(path for place in places for path in not_there_yet(folder / place, workspace=workspace)),
    )
    if payload.warning is not None:
        stage.warn(payload.warning)
    return stage


def _at_pull_request(event: GitHubEvent, number: int) -> GitHubEvent:
    """Return the event as one of that pull request; of another than its own nobody knows whose code it is."""
    if event.pull_request is not None and event.pull_request.number == number:
        return event
    from_fork = event.from_fork or event.name in PRIVILEGED_EVENTS
    return replace(event, pull_request=PullRequest(number=number), from_fork=from_fork)


def _find_folder(workspace: Path, given: str) -> tuple[Path, str | None]:
    """Return the working directory, and what is wrong with it; it is then the workspace."""
    folder = Path(os.path.normpath(workspace / given))
    try:
        if not _is_inside(folder, workspace):
            return workspace, f"{given} is outside the workspace"
        is_there = folder.is_dir()
    except (OSError, ValueError) as problem:
        return workspace, f"{given} cannot be a folder: {getattr(problem, 'strerror', None) or problem}"
    return (folder, None) if is_there else (workspace, f"there is no folder {given}; has it been checked out?")


def _check_report_dir(inputs: ActionInputs, *, workspace: Path, folder: Path) -> ActionInputs:
    """Return the inputs with a report folder in the workspace, where later steps can read it."""
    given = inputs.run.report.report_dir
    problem = _why_not_inside(folder / given, workspace, kind="folder")
    if problem is None:
        return inputs
    report = replace(inputs.run.report, report_dir=ReportSettings().report_dir)
    problems = (*inputs.problems, f"input `report-dir`: {given} {problem}")
    return replace(inputs, run=replace(inputs.run, report=report), problems=problems)


def _check_export(inputs: ActionInputs, *, workspace: Path, folder: Path) -> ActionInputs:
    """Return the inputs with a problem when LiveKit's export is outside the workspace, or longer than is read."""
    given = inputs.from_livekit
    if given is None:
        return inputs
    problem = _why_not_inside(folder / given, workspace, kind="file") or _why_too_long(folder / given)
    if problem is None:
        return inputs
    return replace(inputs, problems=(*inputs.problems, f"input `from-livekit`: {given} {problem}"))


def _why_not_inside(path: Path, workspace: Path, *, kind: str) -> str | None:
    try:
        return None if _is_inside(Path(os.path.normpath(path)), workspace) else "is outside the workspace"
    except (OSError, ValueError) as unusable:
        return f"cannot be a {kind}: {unusable}"


def _why_too_long(path: Path) -> str | None:
    try:
        return f"is longer than {MAX_BYTES >> 20} MiB" if path.stat().st_size > MAX_BYTES else None
    except OSError:
        return None  # whoever reads it says what is wrong


def _is_inside(path: Path, workspace: Path) -> bool:
    """Tell whether the path is in the workspace, by its name and where it really is."""
    real = Path(os.path.realpath(path))
    return path.is_relative_to(workspace) and real.is_relative_to(os.path.realpath(workspace))
