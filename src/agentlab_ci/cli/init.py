"""`agentlab init`."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentlab_ci.cli.options import TextType, ValueChoice, ValueT
from agentlab_ci.cli.world import Lines
from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import Provider

if TYPE_CHECKING:
    from agentlab_ci.scaffolding import Scaffold

PROVIDERS: dict[Provider, str] = {
    Provider.HTTP: "a server that takes JSON and answers JSON",
    Provider.EXTERNAL_PROCESS: "a program, in any language",
    Provider.OPENAI: "a model behind OpenAI's protocol, on any server that speaks it",
    Provider.PYTHON: "a Python function",
    Provider.MOCK: "a script, to try things without an agent",
}
DOMAINS: dict[Domain, str] = {
    Domain.SUPPORT: "refunds, subscriptions and what customers ask",
    Domain.CODING: "changes to the files of a small repository",
    Domain.RESEARCH: "questions that documents answer",
    Domain.OPS: "alerts, logs and whom to call",
}
FIRST_STEPS: dict[Provider, tuple[str, ...]] = {
    Provider.HTTP: ("python3 agent.py    # in one terminal", "agentlab run        # in another"),
    Provider.OPENAI: ("export OPENAI_API_KEY=...", "agentlab run"),
}


@click.command("init", short_help="Start a project whose first run passes.")
@click.argument("folder", metavar="[DIR]", type=TextType(), default=".")
@click.option("--provider", type=ValueChoice(list(PROVIDERS)), help="How the agent is reached.")
@click.option("--domain", type=ValueChoice(Domain), help="What the scenarios are about.")
@click.option("--yes", is_flag=True, help="Ask nothing: the provider is mock and the domain support if not given.")
def command(folder: str, *, provider: Provider | None, domain: Domain | None, yes: bool) -> None:
    """Start a project in DIR, by default here: a config, scenarios, a stand-in for the agent, and a workflow.

    Its first run passes as it stands. Asks for what is not given if there is a terminal. Nothing is overwritten.
    """
    if yes:
        provider, domain = provider or Provider.MOCK, domain or Domain.SUPPORT
    else:
        _refuse_to_guess(provider, domain)
    provider = provider or _ask("How is your agent reached?", PROVIDERS)
    domain = domain or _ask("What are the scenarios about?", DOMAINS)
    from agentlab_ci.scaffolding import init_project  # noqa: PLC0415 - `--help` needs none of it

    scaffold = init_project(Path(folder), provider, domain)
    print_scaffold(scaffold, folder)
    say = Lines(sys.stdout)
    say("next:")
    if folder != ".":
        say(f"  cd {shlex.quote(folder)}")
    for step in FIRST_STEPS.get(provider, ("agentlab run",)):
        say(f"  {step}")


def _refuse_to_guess(provider: Provider | None, domain: Domain | None) -> None:
    """Raise a usage error, with what there is, where something has to be asked and nobody can be."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return
    given = (("--provider", provider, PROVIDERS), ("--domain", domain, DOMAINS))
    missing = [f"{option} {'|'.join(choices)}" for option, value, choices in given if value is None]
    if missing:
        raise click.UsageError(f"There is no terminal to ask on. Missing: {', '.join(missing)}.")


def _ask(question: str, choices: Mapping[ValueT, str]) -> ValueT:
    width = max(map(len, choices))
    click.echo(question)
    for choice, meaning in choices.items():
        click.echo(f"  {choice:{width}}  {meaning}")
    answer: ValueT = click.prompt(">", type=ValueChoice(list(choices)), show_choices=False, prompt_suffix=" ")
    return answer


def print_scaffold(scaffold: "Scaffold", folder: str) -> None:
    """Say what was written, and what was not."""
    from agentlab_ci.loading.wording import printable  # noqa: PLC0415
    from agentlab_ci.reports.escape import for_log  # noqa: PLC0415 - `--help` needs none of it

    say = Lines(sys.stdout)
    for path in scaffold.written:
        say(f"wrote {for_log(printable(str(Path(folder, path))))}")
    for path in scaffold.kept:
        say(f"kept {for_log(printable(str(Path(folder, path))))}, which was there")
