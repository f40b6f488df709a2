"""`agentlab schema`."""

import json

import click

from agentlab_ci.cli.world import print_whole

KINDS = ("scenario", "config", "results", "baseline")


@click.command("schema", short_help="Print a JSON schema for editors.")
@click.argument("kind", type=click.Choice(KINDS), default="scenario")
def command(kind: str) -> None:
    """Print the JSON schema of scenario files, of the config, of results.json, or of a baseline file."""
    from agentlab_ci.loading import schema  # noqa: PLC0415 - `--help` needs none of it

    make = {
        "scenario": schema.scenario_schema,
        "config": schema.config_schema,
        "results": schema.results_schema,
        "baseline": schema.baseline_schema,
    }
    print_whole(f"{json.dumps(make[kind](), indent=2, ensure_ascii=False)}\n".encode())
