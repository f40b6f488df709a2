"""The command group: which commands there are, and what becomes of what they raise."""

import importlib
import io
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from agentlab_ci import __version__
from agentlab_ci.cli.world import Lines
from agentlab_ci.errors import AgentlabError, BugError, ExitCode, InvalidFilesError
from agentlab_ci.interrupts import INTERRUPTS

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("agentlab_ci.cli.init", "Start a project whose first run passes."),
    "generate": ("agentlab_ci.cli.generate", "Add scenarios to a project, to start from."),
    "run": ("agentlab_ci.cli.run", "Run scenarios against an agent and judge them."),
    "report": ("agentlab_ci.cli.report", "Render and gate stored results again."),
    "comment": ("agentlab_ci.cli.comment", "Post stored results to a pull request."),
    "compare": ("agentlab_ci.cli.compare", "Show what became better or worse between two runs or batches."),
    "validate": ("agentlab_ci.cli.validate", "Check config and scenarios without calling an agent."),
    "ids": ("agentlab_ci.cli.ids", "Write ids into the rows of list files."),
    "list": ("agentlab_ci.cli.list", "Show what there is: scenarios, agents, suites, runs or batches."),
    "show": ("agentlab_ci.cli.show", "Show a stored run or batch."),
    "view": ("agentlab_ci.cli.view", "Look at a stored batch in the terminal."),
    "ui": ("agentlab_ci.cli.ui", "Serve pages over the history, to look at in a browser."),
    "export": ("agentlab_ci.cli.export", "Print a stored batch as JSON, for other tools."),
    "judge-check": ("agentlab_ci.cli.judge_check", "Judge stored transcripts again, to see how far that agrees."),
    "approve": ("agentlab_ci.cli.approve", "Make a run or batch the baseline of its scenarios."),
    "prune": ("agentlab_ci.cli.prune", "Remove old batches from the history."),
    "schema": ("agentlab_ci.cli.schema", "Print a JSON schema for editors."),
    "action": ("agentlab_ci.cli.action", "Run as a step of a GitHub workflow; its inputs come as variables."),
}


class LazyGroup(click.Group):
    """Imports a command's module when it is called, so that `--version` and `--help` stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]} has no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="agentlab", message="%(prog)s %(version)s")
def cli() -> None:
    """Run YAML scenarios against an AI agent, k samples each, and gate on the verdict."""


def run_command(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; nothing is raised."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what an agent says may not fit the terminal's encoding
    try:
        code = _exit_code(cli.main(args=list(arguments), prog_name="agentlab", standalone_mode=False))
    except Exception as problem:  # noqa: BLE001 - the last line of defence; whatever it is, it is shown
        text, code = _explain(problem)
        _complain(text)
    return INTERRUPTS.exit_code or code


def _explain(problem: Exception) -> tuple[str, ExitCode]:
    """Say what ended the command, and with which exit code."""
    match problem:
        case click.ClickException():
            shown = io.StringIO()
            problem.show(shown)
            return shown.getvalue(), ExitCode.BAD_INPUT
        case click.exceptions.Abort():
            return "agentlab: interrupted", ExitCode.SIGINT
        case InvalidFilesError() | BugError():
            return str(problem), problem.exit_code
        case AgentlabError():
            return f"agentlab: {problem}", problem.exit_code
        case OSError():
            named = f"{problem.filename}: " if problem.filename else ""
            return f"agentlab: {named}{problem.strerror or problem}", ExitCode.BAD_INPUT
    return str(BugError("".join(traceback.format_exception(problem)))), ExitCode.BUG


def _complain(text: str) -> None:
    """Print to stderr. The text may hold what a user's file or an agent says: it is made safe for a CI log."""
    from agentlab_ci.reports.escape import log_lines  # noqa: PLC0415 - most commands end well

    say = Lines(sys.stderr)
    for line in log_lines(text.strip("\n")):
        say(line)


def _exit_code(result: Any) -> int:
    return result if isinstance(result, int) else ExitCode.OK
