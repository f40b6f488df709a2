"""The story of a run: load, plan, run, report. Read this first.

Each command is one function from settings and the world to an exit code. What it touches of the world (files,
environment, clock, signals, console) comes in as an argument or stands behind a room that it calls.
"""

import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import assert_never

from agentlab_ci.agents.interface import Agent, SimulationModels
from agentlab_ci.agents.loopback import reroute_model, rerouted
from agentlab_ci.agents.opening import check_agents, check_models, make_agent_opener, make_models_opener
from agentlab_ci.core.baseline import Baseline
from agentlab_ci.core.config import AgentConfig
from agentlab_ci.core.formats import FileFormat
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport, SourceIdentity
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import AgentlabError, BadInputError, BugError, ExitCode, InvalidFilesError
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.loading.project import Project, load_config, load_project, read_config_text
from agentlab_ci.loading.secrets import guess_secrets, secret_values
from agentlab_ci.loading.select import Selection, select_scenarios
from agentlab_ci.loading.usable import agents_in_use, find_unusable, has_simulations
from agentlab_ci.processes.orphans import kill_orphans_if_any
from agentlab_ci.publish.commands import add_mask
from agentlab_ci.publish.console import Console
from agentlab_ci.publish.files import Written, prepare_report_folder
from agentlab_ci.reports.escape import command_message, for_log
from agentlab_ci.reports.log import LogStyle, annotations, closing, scenario_section
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.runner.batch import Batch, Watcher
from agentlab_ci.runner.plan import Plan, make_plan
from agentlab_ci.runner.set_up import make_set_up
from agentlab_ci.settings import ReportSettings, ResultsSource, RunSettings
from agentlab_ci.store.location import find_database
from agentlab_ci.store.writer import StoreWriter
from agentlab_ci.tools.interface import ToolboxOpener, ToolWorld
from agentlab_ci.tools.opening import make_toolbox_opener

STORE_SECONDS = 10.0
HURRIED_STORE_SECONDS = 2.0
"""What the store gets to catch up after a signal: a runner kills ten seconds after it cancels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything outside; the edge makes it once and passes it down. `now` is in UTC.

    `event` is what GitHub says of the run, None elsewhere. `secrets` are masked beside those that a config names.
    `watcher` follows a run, if there is one.
    """

    cwd: Path
    environ: Mapping[str, str]
    console: Console
    log_style: LogStyle
    now: Callable[[], datetime]
    interrupts: Interrupts
    event: GitHubEvent | None = None
    secrets: frozenset[str] = frozenset()
    watcher: Watcher | None = None

    def warn(self, text: str) -> None:
        """Say a warning, as an annotation on GitHub; on stderr, as the report on stdout ends with the verdict."""
        safe = for_log(text)
        command = f"::warning title=agentlab::{command_message(safe)}"
        self.console.err(command if self.log_style.github else f"warning: {safe}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command came to. `report` is None when nothing was run; `written` holds the paths of the reports."""

    exit_code: ExitCode
    report: RunReport | None = None
    written: Mapping[FileFormat, str] = field(default_factory=dict)


def check_files(paths: tuple[str, ...], config_file: str | None, world: World) -> Outcome:
    """Check config and scenarios, and whether what they use can be used here, without calling an agent."""
    from agentlab_ci.loading.importable import find_unimportable  # noqa: PLC0415 - a run pays for each import

    project = _load(paths, config_file, world)
    redactor = Redactor(secret_values(project.config, world.environ) | world.secrets)
    _tell(world, (f"note: {redactor.text(note)}" for note in project.notes))
    used = agents_in_use(project)
    problems = find_unusable(project, agents=used, scenarios=project.scenarios, environ=world.environ)
    with redactor.masking_errors():
        if found := problems or find_unimportable(project, agents=used, environ=world.environ):
            raise InvalidFilesError(found)
    agents = [agent for agent in project.config.agents if agent.name in used]
    _refuse_unopenable(agents, project.scenarios, _make_openers(project, world, redactor))
    scenarios, known = len(project.scenarios), len(project.config.agents)
    world.console.out(f"{plural(scenarios, 'scenario')}, {plural(known, 'agent')}: valid")
    return Outcome(exit_code=ExitCode.OK)


def run_scenarios(settings: RunSettings, world: World) -> Outcome:
    """Run the selected scenarios against their agents and report: the main job.

    Raises BugError, whose traceback holds no secret, for whatever is raised that nobody thought of.
    """
    try:
        return _run_scenarios(settings, world)
    except (AgentlabError, OSError):
        raise
    except Exception as bug:  # noqa: BLE001 - shown whole, once the secrets are out of it
        raise tell_bug(bug, world, config_file=settings.config_file) from None


def tell_bug(bug: Exception, world: World, *, config_file: str | None) -> BugError:
    """Return what nobody thought of as an error whose traceback holds no secret."""
    text = read_config_text(cwd=world.cwd, config_file=config_file)
    known = Redactor(guess_secrets(text, world.environ) | world.secrets)
    return BugError(known.text("".join(traceback.format_exception(bug))))


def _run_scenarios(settings: RunSettings, world: World) -> Outcome:
    project = _load(settings.scenario_paths, settings.config_file, world)
    secrets = secret_values(project.config, world.environ)
    redactor = Redactor(secrets | world.secrets)
    if world.log_style.github:
        _say(world, (line for secret in sorted(secrets) for line in add_mask(secret)))
    _tell(world, (f"note: {redactor.text(note)}" for note in project.notes))
    plan = _plan(project, settings, world, redactor)
    baseline = _load_baseline(settings.report, world)
    if baseline is not None:
        plan = plan.with_baseline(baseline, (scenario.id for scenario in project.scenarios))
    if settings.dry_run:
        return _describe(plan, world)
    openers, rows = _make_openers(project, world, redactor, host=settings.loopback_host), plan.runnable
    with redactor.masking_errors():
        _refuse_unopenable((row.agent for row in rows), (row.scenario for row in rows), openers)
    folder = prepare_report_folder(world.cwd, settings.report)
    store = _open_store(settings, world)
    batch = Batch(
        plan,
        store,
        open_agent=openers.agent,
        open_models=openers.models,
        open_tools=openers.tools,
        set_up=make_set_up(project=project.root, environ=world.environ),
        redact=redactor.sample,
        console=world.console,
        log_style=world.log_style,
        now=world.now,
        interrupts=world.interrupts,
        source=world.event.source if world.event else SourceIdentity(),
        watcher=world.watcher,
    )
    try:
        batch.run(deadline=settings.timeout)
    finally:  # also after a bug in agentlab: what is known is stored and reported, and nothing is left running
        kill_orphans_if_any()
        report = batch.report(settings.report)
        store.finish_batch(report)
        written = folder.write(report, settings.report)
        not_stored = store.close(STORE_SECONDS if world.interrupts.exit_code is None else HURRIED_STORE_SECONDS)
    if not_stored is not None:
        world.warn(not_stored)
    if late := _count_late(report):
        world.warn(f"--timeout is over: {plural(late, 'scenario')} unfinished")
    return _conclude(report, written, world, annotate=settings.annotate)


def _describe(plan: Plan, world: World) -> Outcome:
    from agentlab_ci.runner.describe import describe_plan  # noqa: PLC0415 - as above

    _tell(world, describe_plan(plan))
    return Outcome(exit_code=ExitCode.OK)


def _open_store(settings: RunSettings, world: World) -> StoreWriter:
    database = find_database(
        settings.database, environ=world.environ, cwd=world.cwd, config_file=settings.config_file
    )
    return StoreWriter.open(database, give_up=lambda: world.interrupts.exit_code is not None)


def report_again(
    results_file: str,
    settings: ReportSettings,
    world: World,
    *,
    source: ResultsSource = ResultsSource.AGENTLAB,
    annotate: bool = True,
    trust_config: bool = True,
) -> Outcome:
    """Render and gate stored results again, agentlab's own or another tool's, without calling an agent.

    What the config of the working directory names as secret is masked in another tool's results, unless nobody
    knows whose config it is. Raises InterruptedRunError when a signal comes before the reports are written.
    """
    with world.interrupts.ending_what_runs():
        report = _judge_again(
            _read_stored(results_file, source, world, trust_config=trust_config), settings, world
        )
        folder = prepare_report_folder(world.cwd, settings)
        for row in report.scenarios:
            _say(world, scenario_section(row, style=world.log_style))
    return _conclude(report, folder.write(report, settings), world, annotate=annotate)


def _judge_again(stored: RunReport, settings: ReportSettings, world: World) -> RunReport:
    if settings.pass_rate is not None and all(row.samples_wanted == 1 for row in stored.scenarios):
        raise BadInputError("--pass-rate does nothing here: no scenario has more than one sample")
    return regate(
        stored,
        pass_rate=settings.pass_rate,
        baseline=_load_baseline(settings, world, known=stored.baseline is not None),
        require_finished=settings.require_finished,
        fail_on=settings.fail_on,
    )


def _read_stored(results_file: str, source: ResultsSource, world: World, *, trust_config: bool) -> RunReport:
    from agentlab_ci.reports.imported import tell_unfinished  # noqa: PLC0415 - as above
    from agentlab_ci.results_file import livekit_secrets, read_livekit_file, read_results_file  # noqa: PLC0415

    match source:
        case ResultsSource.AGENTLAB:
            stored = read_results_file(world.cwd, results_file)
        case ResultsSource.LIVEKIT:
            stored, notes = read_livekit_file(
                world.cwd,
                results_file,
                redactor=Redactor(
                    world.secrets
                    | livekit_secrets(world.environ)
                    | (_find_secrets(world) if trust_config else frozenset())
                ),
                source=world.event.source if world.event else SourceIdentity(),
            )
            _tell(world, (f"note: {note}" for note in notes))
        case _:
            assert_never(source)
    if stored.imported is not None and stored.imported.remarkable:
        world.warn(tell_unfinished(stored.imported))
    return stored


def _find_secrets(world: World) -> frozenset[str]:
    """Return what is secret by the config in the working directory; of one that is not valid, what it may name."""
    try:
        return secret_values(load_config(cwd=world.cwd), world.environ)
    except InvalidFilesError:
        return guess_secrets(read_config_text(cwd=world.cwd), world.environ)


def _load(paths: tuple[str, ...], config_file: str | None, world: World) -> Project:
    try:
        return load_project(cwd=world.cwd, config_file=config_file, scenario_paths=paths)
    except InvalidFilesError:
        text = read_config_text(cwd=world.cwd, config_file=config_file)
        with Redactor(guess_secrets(text, world.environ) | world.secrets).masking_errors():
            raise


def _plan(project: Project, settings: RunSettings, world: World, redactor: Redactor) -> Plan:
    selection = Selection(ids=settings.ids, suite=settings.suite, suite_def=settings.suite_def, tags=settings.tags)
    with redactor.masking_errors():
        scenarios = select_scenarios(project.scenarios, project.config, selection)
        plan = make_plan(scenarios, project.config, settings).with_facts(redactor.facts)
        _refuse_unusable(project, plan, world.environ)
    return plan


def _load_baseline(settings: ReportSettings, world: World, *, known: bool = False) -> Baseline | None:
    """Read what the results are held against; `known` when they bear a baseline already."""
    if settings.baseline is not None:
        from agentlab_ci.baselines import load_baseline  # noqa: PLC0415 - as above

        return load_baseline(world.cwd, settings.baseline)
    if settings.fail_on is FailOn.REGRESSION and not known:
        raise BadInputError("`--fail-on regression` needs `--baseline FILE`: it says what there was before")
    return None


def _refuse_unusable(project: Project, plan: Plan, environ: Mapping[str, str]) -> None:
    problems = find_unusable(
        project,
        agents={row.agent.name for row in plan.runnable},
        scenarios=[row.scenario for row in plan.runnable],
        environ=environ,
    )
    if problems:
        raise InvalidFilesError(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Openers:
    agent: Callable[[AgentConfig], Agent]
    models: Callable[[], SimulationModels]
    tools: ToolboxOpener


def _make_openers(project: Project, world: World, redactor: Redactor, *, host: str | None = None) -> _Openers:
    """Return what opens agents, models and tools, with `host`, if it is given, in place of loopback hosts."""
    config, environ, mask = project.config, world.environ, redactor.text
    agent = make_agent_opener(
        environ=environ, project=project.root, max_reply_bytes=config.max_reply_bytes, mask=mask
    )
    models = make_models_opener(
        reroute_model(config.simulator, host),
        reroute_model(config.judge, host),
        environ=environ,
        project=project.root,
        max_reply_bytes=config.max_reply_bytes,
        mask=mask,
    )
    tools = make_toolbox_opener(config.tools, ToolWorld(environ=environ, project=project.root, mask=mask))
    return _Openers(agent=rerouted(agent, host), models=models, tools=tools)


def _refuse_unopenable(agents: Iterable[AgentConfig], scenarios: Iterable[Scenario], openers: _Openers) -> None:
    reasons = check_agents({agent.name: agent for agent in agents}.values(), openers.agent)
    if has_simulations(scenarios):
        reasons += check_models(openers.models)
    if reasons:
        raise BadInputError("\n".join(reasons))


def _conclude(report: RunReport, written: Written, world: World, *, annotate: bool = True) -> Outcome:
    """Say how it ended. A report that could not be written makes a green run red, and changes no other code."""
    if world.log_style.github and annotate:
        _say(world, annotations(report, prefix=world.event.prefix if world.event else ""))
    for problem in written.problems:
        world.warn(problem)
    _tell(world, [f"reports: {', '.join(written.paths.values()) or 'none'}"])
    _say(world, closing(report, style=world.log_style))
    code = report.summary.exit_code
    if code is ExitCode.OK and written.problems:
        code = ExitCode.BAD_INPUT
    return Outcome(exit_code=code, report=report, written=written.paths)


def _count_late(report: RunReport) -> int:
    """Count the scenarios that the run's deadline left unfinished."""
    return sum(
        row.verdict is Verdict.UNFINISHED
        and any(sample.termination_reason is TerminationReason.RUN_DEADLINE for sample in row.samples)
        for row in report.scenarios
    )


def _tell(world: World, lines: Iterable[str]) -> None:
    """Print lines that hold text from the user's files, which a runner must not take for its commands."""
    _say(world, map(for_log, lines))


def _say(world: World, lines: Iterable[str]) -> None:
    for line in lines:
        world.console.out(line)
