"""The story of a run: load, plan, run, report. Read this first.

Each command is one function from settings and the world to an exit code. What it touches of the world (files,
environment, clock, signals, console) comes in as an argument or stands behind a room that it calls.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from agentlab_ci.agents.opening import make_agent_opener
from agentlab_ci.core.formats import FileFormat
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import BadInputError, ExitCode, InvalidFilesError
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.loading.project import Project, load_project
from agentlab_ci.loading.secrets import secret_values
from agentlab_ci.loading.select import Selection, select_scenarios
from agentlab_ci.loading.usable import find_unusable
from agentlab_ci.publish.console import Console
from agentlab_ci.publish.files import prepare_report_folder
from agentlab_ci.reports.json_report import read_results
from agentlab_ci.reports.log import LogStyle, annotations, closing, scenario_section
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.runner.batch import Batch
from agentlab_ci.runner.describe import describe_plan
from agentlab_ci.runner.plan import Plan, make_plan
from agentlab_ci.settings import ReportSettings, RunSettings
from agentlab_ci.store.writer import StoreWriter

DATABASE = "artifacts/agentlab.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything outside; the edge makes it once and passes it down. `now` is in UTC."""

    cwd: Path
    environ: Mapping[str, str]
    console: Console
    log_style: LogStyle
    now: Callable[[], datetime]
    interrupts: Interrupts


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command came to. `report` is None when nothing was run; `written` holds the paths of the reports."""

    exit_code: ExitCode
    report: RunReport | None = None
    written: Mapping[FileFormat, str] = field(default_factory=dict)


def run_scenarios(settings: RunSettings, world: World) -> Outcome:
    """Run the selected scenarios against their agents and report: the main job."""
    project = load_project(cwd=world.cwd, config_file=settings.config_file, scenario_paths=settings.scenario_paths)
    redactor = Redactor(secret_values(project.config, world.environ))
    world = replace(world, console=world.console.masked(redactor.text))
    for note in project.notes:
        world.console.out(f"note: {note}")
    selection = Selection(ids=settings.ids, suite=settings.suite, suite_def=settings.suite_def, tags=settings.tags)
    scenarios = select_scenarios(project.scenarios, project.config, selection)
    plan = make_plan(scenarios, project.config, settings).with_masked_facts(redactor.facts)
    _refuse_unusable(project, plan, world.environ)
    if settings.dry_run:
        _say(world, describe_plan(plan))
        return Outcome(exit_code=ExitCode.OK)
    folder = prepare_report_folder(world.cwd, settings.report.report_dir)
    store = StoreWriter.open(_database(settings, project, world))
    batch = Batch(
        plan,
        store,
        open_agent=make_agent_opener(
            environ=world.environ, project=project.root, max_reply_bytes=project.config.max_reply_bytes
        ),
        redact=redactor.sample,
        console=world.console,
        log_style=world.log_style,
        now=world.now,
        interrupts=world.interrupts,
    )
    try:
        batch.run(deadline=settings.timeout)
    finally:  # also after a bug in agentlab: what is known is reported
        report = batch.report(settings.report)
        written = folder.write(report, settings.report)
        store.finish_batch(report)
        not_stored = store.close()
    if not_stored is not None:
        world.console.err(f"warning: {not_stored}")
    return _conclude(report, written, world)


def report_again(results_file: str, settings: ReportSettings, world: World) -> Outcome:
    """Render and gate stored results again, without calling an agent."""
    stored = _read_results(world.cwd / results_file, shown=results_file)
    if settings.pass_rate is not None and all(row.samples_wanted == 1 for row in stored.scenarios):
        raise BadInputError("--pass-rate does nothing here: no scenario has more than one sample")
    report = regate(
        stored,
        pass_rate=settings.pass_rate,
        require_finished=settings.require_finished,
        fail_on=settings.fail_on,
    )
    folder = prepare_report_folder(world.cwd, settings.report_dir)
    for row in report.scenarios:
        _say(world, scenario_section(row, style=world.log_style))
    return _conclude(report, folder.write(report, settings), world)


def _refuse_unusable(project: Project, plan: Plan, environ: Mapping[str, str]) -> None:
    problems = find_unusable(
        project,
        agents={row.agent.name for row in plan.runnable},
        scenarios=[row.scenario for row in plan.runnable],
        environ=environ,
    )
    if problems:
        raise InvalidFilesError(problems)


def _database(settings: RunSettings, project: Project, world: World) -> Path:
    given = settings.database or world.environ.get("AGENTLAB_DB")
    return world.cwd / given if given else project.root / DATABASE


def _conclude(report: RunReport, written: Mapping[FileFormat, str], world: World) -> Outcome:
    if world.log_style.github:
        _say(world, annotations(report))
    world.console.out(f"reports: {', '.join(written.values())}")
    _say(world, closing(report, style=world.log_style))
    return Outcome(exit_code=report.summary.exit_code, report=report, written=written)


def _say(world: World, lines: Iterable[str]) -> None:
    for line in lines:
        world.console.out(line)


def _read_results(path: Path, *, shown: str) -> RunReport:
    try:
        return read_results(path.read_bytes())
    except OSError as problem:
        raise BadInputError(f"cannot read {shown}: {problem.strerror}") from problem
    except BadInputError as problem:
        raise BadInputError(f"{shown}: {problem}") from problem
