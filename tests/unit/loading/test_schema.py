import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from agentlab_ci.cli.schema import KINDS, command
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.loading.schema import baseline_schema, config_schema, results_schema, scenario_schema
from factories import make_report, make_row
from yaml_projects import CONVERSATION, ROWS, SIMULATION, TASK, document_of

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
SCHEMAS = {
    "scenario": scenario_schema,
    "config": config_schema,
    "results": results_schema,
    "baseline": baseline_schema,
}

CONFIG = """\
sampling: {samples: 3, pass_rate: 0.75, max_samples: 9, require_odd: true}
concurrency: 8
agents:
  - {name: m, provider: mock, replies: [{contains: order, reply: Shipped.}], fail_samples: [2]}
  - {name: h, provider: http, url: 'http://x', headers: {A: '{{env.T}}'}, request_template: {q: '{{message}}'}}
  - {name: e, provider: external_process, command: python3, args: [a.py], env_allowlist: [KEY]}
  - {name: o, provider: openai, model: m, price: {input_per_million: 0.15, output_per_million: 0.6}}
  - {name: p, provider: python, target: 'a.b:c'}
tools: [{name: t, command: [node, t.mjs], input_schema: {type: object}}]
runtime_profiles: [{name: p, tool_faults: [{tool: t, mode: timeout}], state: {memory_blob: {a: 1}}}]
suite_definitions: [{name: s, include: {tags: [smoke]}}]
"""


def errors_of(schema: dict[str, Any], data: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(data)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_committed_schema_is_what_the_command_prints(kind: str) -> None:
    printed = CliRunner().invoke(command, [kind])
    assert printed.exit_code == 0
    assert (REFERENCE / f"{kind}.schema.json").read_text(encoding="utf-8") == printed.output, (
        f"run `agentlab schema {kind} > docs/reference/{kind}.schema.json`"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_schemas_and_say_what_they_are_of(kind: str) -> None:
    schema = SCHEMAS[kind]()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert schema["$id"] == f"{kind}.schema.json"
    assert schema["title"].startswith("agentlab")


@pytest.mark.parametrize("text", [CONVERSATION, TASK, SIMULATION, ROWS])
def test_valid_scenario_files_match(text: str) -> None:
    assert errors_of(scenario_schema(), document_of(text).data) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: Where is the order", "name: 500"),
        ("steps:", "stepz:"),
        ("type: conversation", "type: conversaton"),
        ("response_contains", "final_answer_contains"),  # cannot stand under a step
        ("response_contains", "response_has"),
        ("config: {keywords: [order]}", "config: {keyword: [order]}"),
        ("samples: 3", "samples: 0"),
        ("pass_rate: 0.75", "pass_rate: 1.5"),
        ("weight: 2", "weight: 0"),
        ("mode: weighted", "mode: soft"),
        ("id: support.order", "id: order"),
        ("tags: [smoke]", "tools: {allowed: [a]}"),
    ],
)
def test_wrong_scenario_files_do_not(old: str, new: str) -> None:
    assert old in CONVERSATION
    assert errors_of(scenario_schema(), yaml.safe_load(CONVERSATION.replace(old, new)))


def test_every_evaluator_has_its_schema() -> None:
    definitions = scenario_schema()["$defs"]
    for name, kind in EVALUATORS.items():
        assert definitions[name]["properties"]["type"] == {"const": name}
        assert kind.passes_when in definitions[name]["description"]


def test_a_config_matches_and_a_misspelt_one_does_not() -> None:
    assert errors_of(config_schema(), yaml.safe_load(CONFIG)) == []
    for old, new in (("provider: http", "provider: htp"), ("url:", "urll:"), ("concurrency", "concurency")):
        assert errors_of(config_schema(), yaml.safe_load(CONFIG.replace(old, new)))


def test_results_match_what_is_written() -> None:
    report = make_report(make_row("pfe"), make_row("pp", "billing.other"))
    data = json.loads(report.model_dump_json())
    assert errors_of(results_schema(), data) == []
    assert data["scenarios"][0]["pass_rate"] == "0.75"
    assert errors_of(results_schema(), data | {"version": 2})
    assert errors_of(results_schema(), data | {"later_version_adds": 1}) == []
