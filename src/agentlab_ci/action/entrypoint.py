"""The Action's story: read the inputs, refuse what may not run, wait for the server, run, publish what came.

Or, instead of a run: read what LiveKit has run, and publish that.
"""

from dataclasses import replace
from pathlib import Path

from agentlab_ci import __version__
from agentlab_ci.action.container import LOOPBACK_ADVICE, find_gateway, in_image, unreached_on_loopback
from agentlab_ci.action.ending import Ending, not_judged
from agentlab_ci.action.inputs import ActionInputs, read_inputs
from agentlab_ci.action.publishing import publish
from agentlab_ci.action.sources import find_export_sources, find_sources
from agentlab_ci.action.stage import Stage, set_stage
from agentlab_ci.agents.loopback import reroute_url
from agentlab_ci.agents.url import is_loopback
from agentlab_ci.app import Outcome, World, report_again, run_scenarios
from agentlab_ci.errors import AgentlabError, BadInputError, BugError, ExitCode, InvalidFilesError, Problem
from agentlab_ci.loading.project import CONFIG_NAME
from agentlab_ci.publish.trust import why_untrusted
from agentlab_ci.settings import ResultsSource

_BUG = f"agentlab {__version__} has a bug: please report it with the traceback in the job's log"


def run_action(world: World) -> ExitCode:
    """Do the whole job of one step and return its exit code. Whatever it comes to, it is published.

    A signal sets the exit code whenever it comes, also while things are published.
    """
    stage = set_stage(read_inputs(world.environ), world)
    ending = _come_to_an_ending(stage)
    publish(ending, stage)
    return world.interrupts.exit_code or ending.exit_code


def _come_to_an_ending(stage: Stage) -> Ending:
    try:
        return _run(stage)
    except InvalidFilesError as invalid:
        return not_judged(invalid.exit_code, *map(stage.mask_problem, invalid.problems))
    except BugError as bug:
        stage.show_bug(str(bug))
        return not_judged(ExitCode.BUG, Problem(path="", message=_BUG))
    except AgentlabError as problem:
        lines = stage.mask(str(problem)).splitlines()
        return not_judged(problem.exit_code, *(Problem(path="", message=line) for line in lines))
    except Exception:  # noqa: BLE001 - the last line of defence; the traceback is shown, not swallowed
        stage.show_traceback()
        return not_judged(ExitCode.BUG, Problem(path="", message=_BUG))


def _run(stage: Stage) -> Ending:
    stage.inputs.check()
    _refuse_untrusted(stage)
    export = stage.inputs.from_livekit
    return Ending(outcome=_run_project(stage) if export is None else _report_export(export, stage))


def _report_export(export: str, stage: Stage) -> Outcome:
    """Report what LiveKit has run. A config says only what is secret, and that only as part of the repository."""
    inputs, world = stage.inputs, stage.world
    return report_again(
        export,
        inputs.run.report,
        world,
        source=ResultsSource.LIVEKIT,
        annotate=inputs.annotations,
        trust_config=inputs.allow_untrusted_code or _why_untrusted(stage, (world.cwd / CONFIG_NAME,)) is None,
    )


def _run_project(stage: Stage) -> Outcome:
    inputs, world = stage.inputs, stage.world
    gateway = find_gateway() if inputs.localhost_gateway else None
    if inputs.wait_for_url is not None:
        _wait_for_server(inputs.wait_for_url, gateway, stage)
    outcome = run_scenarios(replace(inputs.run, loopback_host=gateway), world)
    if outcome.report is not None and gateway is None and in_image(world.environ):
        for url in unreached_on_loopback(outcome.report):
            stage.warn(f"no connection to {url}: {LOOPBACK_ADVICE}")
    return outcome


def _wait_for_server(given: str, gateway: str | None, stage: Stage) -> None:
    from agentlab_ci.agents.waiting import wait_for_answer  # noqa: PLC0415 - httpx takes 0.1 s to import

    url = reroute_url(given, gateway) if gateway else given
    try:
        wait_for_answer(url, seconds=stage.inputs.wait_seconds, interrupts=stage.world.interrupts)
    except BadInputError as problem:
        advice = ""
        if is_loopback(given) and gateway:
            advice = f"\n`localhost` was looked for at {gateway}: the server must listen on 0.0.0.0"
        elif is_loopback(given) and in_image(stage.world.environ):
            advice = f"\n{LOOPBACK_ADVICE}"
        raise BadInputError(f"{problem}{advice}") from problem


def _refuse_untrusted(stage: Stage) -> None:
    """Stop before the config is read: it says which server gets which secret."""
    sources = _find_sources(stage.inputs, stage.world.cwd)
    if stage.inputs.allow_untrusted_code or not sources:
        return
    refusal = _why_untrusted(stage, sources)
    if refusal is not None:
        raise BadInputError(refusal)


def _why_untrusted(stage: Stage, sources: tuple[Path, ...]) -> str | None:
    return why_untrusted(
        stage.world.event,
        working_directory=stage.world.cwd,
        sources=sources,
        workspace=stage.workspace,
        environ=stage.world.environ,
    )


def _find_sources(inputs: ActionInputs, cwd: Path) -> tuple[Path, ...]:
    if inputs.from_livekit is not None:
        return find_export_sources(inputs.from_livekit, inputs.run, cwd)
    return find_sources(inputs.run, cwd)
