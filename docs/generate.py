"""Write the reference pages that the code itself knows: `python docs/generate.py`, or `make docs`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from agentlab_ci.cli.group import COMMANDS, cli
from agentlab_ci.core.config import Config
from agentlab_ci.errors import EXIT_CODES
from agentlab_ci.evaluators.interface import Position
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.loading.scenario_file import SCENARIO_FILES, ScenarioFile
from agentlab_ci.loading.schema import baseline_schema, config_schema, results_schema, scenario_schema
from agentlab_ci.tools.builtin.kind import TYPE_NAMES
from agentlab_ci.tools.registry import BUILTIN_TOOLS, FIXTURE_OF
from key_tables import key_table, part_sections

REFERENCE = Path(__file__).parent / "reference"
NOTICE = "<!-- Written by docs/generate.py from the code. Change it there, then run `make docs`. -->\n"


def main() -> None:
    """Write every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in render_pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


def render_pages() -> dict[str, str]:
    """Return the text of every generated page by its file name."""
    pages = {
        "cli.md": _cli(),
        "config.md": _config(),
        "evaluators.md": _evaluators(),
        "exit-codes.md": _exit_codes(),
        "scenario.md": _scenario(),
        "tools.md": _tools(),
    }
    schemas = {
        "scenario": scenario_schema(),
        "config": config_schema(),
        "results": results_schema(),
        "baseline": baseline_schema(),
    }
    return {name: NOTICE + "\n" + "\n".join(lines) + "\n" for name, lines in pages.items()} | {
        f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def _cli() -> Iterator[str]:
    yield "# Commands\n"
    root = cli.make_context("agentlab", [], resilient_parsing=True, max_content_width=100, terminal_width=100)
    yield from _fenced(cli.get_help(root))
    for name in COMMANDS:
        command = cli.get_command(root, name)
        if command is None:
            raise LookupError(f"agentlab has no command {name}")
        yield from _command(command, root, f"agentlab {name}")


def _command(command: click.Command, parent: click.Context, title: str) -> Iterator[str]:
    """Show a command's help, and that of its own commands."""
    yield f"\n## {title}\n"
    context = click.Context(command, parent=parent, info_name=title.rpartition(" ")[2])
    yield from _fenced(command.get_help(context))
    if isinstance(command, click.Group):
        for name, nested in command.commands.items():
            yield from _command(nested, context, f"{title} {name}")


def _fenced(text: str) -> Iterator[str]:
    yield from ("```text", text, "```")


def _exit_codes() -> Iterator[str]:
    yield "# Exit codes\n"
    yield "Only scenarios that finished below the bar set the exit code. 130 and 143 win over 1, and 1 over 3.\n"
    yield "| code | when |"
    yield "|---|---|"
    for code, meaning in EXIT_CODES.items():
        yield f"| {code.value} | {meaning} |"


_PLACES = {
    Position.STEP: "under a step of a conversation",
    Position.END: "under `evaluators` of any scenario",
    Position.TASK_END: "under `evaluators` of a task",
    Position.SIMULATION_END: "under `evaluators` of a simulation",
}


def _evaluators() -> Iterator[str]:
    yield "# Evaluators\n"
    yield (
        "An evaluator is a deterministic check. One under a step judges the reply to that step, one under the\n"
        "scenario's own `evaluators` judges the sample as a whole. Each has a `type`, a `mode`, and the `config`\n"
        "of its type; `id` is what reports call it.\n"
    )
    yield "- `mode: hard_gate`: if it fails, the sample fails. At a step it also ends the sample there."
    yield (
        "- `mode: weighted`: if it fails, the sample loses `weight` (1 when absent) of its score. The score is\n"
        "  the passed share of the weights in percent, half up, and 100 when there are none; a sample needs the\n"
        "  config's `pass_score`, 80 when absent."
    )
    for kind in EVALUATORS.values():
        places = " or ".join(_PLACES[position] for position in sorted(kind.positions))
        yield f"\n## {kind.name}\n"
        yield f"Stands {places}. Passes when {kind.passes_when}.\n"
        yield from key_table(kind.config.model_json_schema())


def _config() -> Iterator[str]:
    yield "# agentlab.config.yaml\n"
    yield "Every key that the file may have; any other is an error. The camelCase form of a key is taken too.\n"
    schema = Config.model_json_schema()
    yield from key_table(schema)
    yield from part_sections(schema["$defs"])


def _scenario() -> Iterator[str]:
    yield "# Scenario files\n"
    yield (
        "`scenarios/**/*.yaml`, one scenario in each YAML document. What may stand in `evaluators` is on\n"
        "[its own page](evaluators.md). Every scenario has these keys, and those of its type:\n"
    )
    common = ScenarioFile.model_json_schema()
    yield from key_table(common)
    parts = dict(common["$defs"])
    for name, model in SCENARIO_FILES.items():
        schema = model.model_json_schema()
        own = {key: field for key, field in schema["properties"].items() if field != common["properties"].get(key)}
        yield f"\n## {name} scenario\n\n{schema['description']}\n"
        yield from key_table(schema | {"properties": own})
        parts |= schema["$defs"]
    yield from part_sections(parts)


def _tools() -> Iterator[str]:
    yield "# Built-in tools\n"
    yield (
        "What a task's `tools.allowed` may name without further ado. They work on JSON files that ship with\n"
        "agentlab; a project's file of the same path replaces the shipped one. What a sample changes, only that\n"
        "sample sees. How to add tools, and more on fixtures: [Give an agent tools](../how-to/tools.md).\n"
    )
    yield "| tool | | input | result | works on |"
    yield "|---|---|---|---|---|"
    for tool in BUILTIN_TOOLS.values():
        inputs = ", ".join(f"`{name}`{_odd_type(schema)}" for name, schema in tool.arguments.items())
        yield f"| `{tool.name}` | {tool.description} | {inputs} | {tool.returns} | `{FIXTURE_OF[tool.name]}` |"
    yield (
        "\nAll of the input is required, and is text where nothing else is said; anything further is refused.\n"
        "A tool answers with an error, which the agent is told, when there is no such record, and at the second\n"
        "refund or cancellation. `orders.list` and `docs.search` answer with an empty list instead.\n"
    )
    yield "## Fixtures\n"
    yield (
        "A fixture is a JSON array of objects. These fields must be there; others are handed to the agent as\n"
        "they are.\n"
    )
    yield "| file | fields |"
    yield "|---|---|"
    for fixture in {tool.fixture.path: tool.fixture for tool in BUILTIN_TOOLS.values()}.values():
        fields = ", ".join(f"`{name}` ({TYPE_NAMES[kind]})" for name, kind in fixture.fields.items())
        yield f"| `fixtures/{fixture.path}` | {fields} |"


def _odd_type(schema: Mapping[str, object]) -> str:
    return " (true or false)" if schema["type"] == "boolean" else ""


if __name__ == "__main__":
    main()
