"""Projects of YAML files for tests of loading: whole valid files, of which a test changes what it is about."""

from collections.abc import Mapping
from pathlib import Path

from agentlab_ci.core.scenario import Scenario
from agentlab_ci.errors import InvalidFilesError
from agentlab_ci.loading.project import Project, load_project
from agentlab_ci.loading.scenarios import read_scenarios
from agentlab_ci.loading.yaml_source import Document, read_yaml

CONVERSATION = """\
type: conversation
id: support.order
name: Where is the order
suite: support
tags: [smoke]
sampling: {samples: 3, pass_rate: 0.75}
steps:
  - role: user
    message: Where is my order?
    evaluators:
      - {type: response_contains, mode: hard_gate, config: {keywords: [order]}}
evaluators:
  - {type: step_count_max, mode: weighted, weight: 2, config: {max: 2}}
"""

TASK = """\
id: support.refund
name: Refund the right order
suite: support
task:
  instructions: Refund the order that was charged twice.
  success_hint: Only one of them.
context:
  fixtures: [fixtures/support/orders.json]
  variables: {customer: 12, since: 2024-01-01}
tools:
  allowed: [orders.list, orders.refund]
  forbidden: [orders.refund_all]
runtime: {max_steps: 4, timeout_seconds: 30}
evaluators:
  - {id: refunded, type: tool_call_assertion, mode: hard_gate, config: {tool: orders.refund}}
"""

SIMULATION = """\
type: simulation
id: support.moody
name: A moody customer
suite: support
instructions: You want your money back.
agent_expectations: The agent stays calm.
userdata: {order: ord_1}
max_turns: 4
"""

ROWS = """\
name: Checks of the shop
scenarios:
  - label: "Late order, angry!"
    instructions: Ask where it is.
    agent_expectations: It says when it comes.
    tags: {priority: high, vip: true}
    userdata: {order: 7}
  - {id: shop.refund, label: Refund, instructions: Ask for it., agent_expectations: It refunds.}
"""

CONFIG = """\
agents:
  - {name: scripted, provider: mock, replies: [{reply: Your order has shipped.}]}
"""


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files, folders included, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def load(folder: Path, *paths: str, config: str | None = None) -> Project:
    """Load the project in the folder."""
    return load_project(cwd=folder, config_file=config, scenario_paths=paths)


def problems_in(folder: Path, *paths: str, config: str | None = None) -> list[str]:
    """Return the problems that loading names, as people see them; none when it loads."""
    try:
        load(folder, *paths, config=config)
    except InvalidFilesError as error:
        return str(error).split("\n")
    return []


def document_of(text: str, path: str = "x.yaml") -> Document:
    """Return the one document of a YAML text that has no problems."""
    file = read_yaml(text.encode(), path)
    assert file.problems == ()
    (document,) = file.documents
    return document


def scenario_of(text: str) -> Scenario:
    """Return the one scenario of a YAML text that has no problems."""
    scenarios, problems = read_scenarios(document_of(text))
    assert problems == []
    (scenario,) = scenarios
    return scenario


def scenario_problems(text: str) -> list[str]:
    """Return what is wrong with the scenario of a YAML text, without its path."""
    _, problems = read_scenarios(document_of(text))
    return [str(problem).removeprefix("x.yaml:") for problem in sorted(problems)]
