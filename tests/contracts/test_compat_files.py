"""Files that users of agent-regression-lab already have: their form loads here as it is.

The small project below has that form in words of its own. AGENTLAB_COMPAT names a folder with that tool's own
files, to check against them too.
"""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from agentlab_ci.cli import validate
from agentlab_ci.core.scenario import Conversation, Task
from agentlab_ci.errors import InvalidFilesError
from yaml_projects import load, write_files

CONFIG = """\
agents:
  - name: mock-default
    provider: mock
    label: mock-default
  - name: cheap-model
    provider: openai
    model: small-model
    label: cheap-model
  - name: node-agent
    provider: external_process
    command: node
    args:
      - agents/answer.mjs
    label: node-agent

tools:
  - name: shop.find_gift
    modulePath: user_tools/findGift.ts
    exportName: findGift
    description: Find a gift for a customer.
    inputSchema:
      type: object
      additionalProperties: false
      properties:
        customer_id:
          type: string
          description: Who it is for.
      required:
        - customer_id

variant_sets:
  - name: prompts
    variants:
      - agent: mock-default
        label: old
        prompt_version: prompt-v1
        model_version: mock-model
        tool_schema_version: tools-v1
        config_label: old-flow

runtime_profiles:
  - name: slow-orders
    tool_faults:
      - tool: orders.list
        mode: timeout
        timeout_ms: 1500
  - name: remembers
    state:
      reset: per_run
      seeded_messages:
        - role: user
          message: "I like window seats."
        - role: assistant
          message: "I will remember it."
      memory_blob:
        seat: window

suite_definitions:
  - name: release
    include:
      suites:
        - internal-teams
      tags:
        - smoke
    exclude:
      tags:
        - wip
"""

TASK = """\
id: internal-teams.slow-orders
name: Orders Come Late
suite: internal-teams
description: The agent says that it cannot look.
runtime_profile: slow-orders
tags:
  - smoke
difficulty: medium
task:
  instructions: |
    Was the customer charged twice?
    Do not guess.
context:
  fixtures:
    - fixtures/support/customers.json
    - odd.json
  variables:
    customer_email: someone@example.com
tools:
  allowed:
    - crm.search_customer
    - orders.list
  forbidden:
    - orders.refund_all
runtime:
  max_steps: 4
  timeout_seconds: 60
evaluators:
  - id: looked
    type: tool_call_assertion
    mode: hard_gate
    config:
      tool: orders.list
      match:
        customer_id: cus_1
  - id: step-budget
    type: step_count_max
    mode: hard_gate
    config:
      max: 3
  - id: says-so
    type: final_answer_contains
    mode: weighted
    weight: 100
    config:
      required_substrings:
        - unavailable
"""

CONVERSATION = """\
type: conversation
id: internal-teams.remembers-the-seat
name: Remembers The Seat
suite: internal-teams
description: The agent knows later what it was told.
steps:
  - role: user
    message: "I like window seats."
    evaluators:
      - type: response_contains
        mode: weighted
        config:
          keywords:
            - window
  - role: user
    message: "Which seat do I like?"
evaluators:
  - type: step_count_max
    mode: hard_gate
    config:
      max: 2
"""

WITH_TOOL = TASK.replace("slow-orders\nname", "gift\nname").replace(
    "- orders.list\n  forb", "- shop.find_gift\n  forb"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(
        tmp_path,
        {
            "agentlab.config.yaml": CONFIG,
            "odd.json": "[]",
            "scenarios/internal-teams/slow.yaml": TASK,
            "scenarios/internal-teams/remembers.yaml": CONVERSATION,
        },
    )


def test_existing_files_load_as_they_are(folder: Path) -> None:
    project = load(folder)
    remembers, slow = project.scenarios
    assert isinstance(remembers.body, Conversation)
    assert isinstance(slow.body, Task)
    assert slow.body.instructions == "Was the customer charged twice?\nDo not guess.\n"
    assert (slow.body.max_steps, slow.body.timeout_seconds) == (4, 60)
    assert project.config.tools[0].module_path == "user_tools/findGift.ts"
    assert project.config.tools[0].input_schema["required"] == ["customer_id"]
    assert project.notes == (
        "agentlab.config.yaml:47:5: runtime_profiles[1]: no scenario names the profile `remembers`",
        "scenarios/internal-teams/slow.yaml:16:7: context.fixtures[1]: no tool of this scenario reads `odd.json`",
    )


def test_what_nothing_uses_is_no_problem(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(validate.command, catch_exceptions=False)
    assert result.stdout.splitlines()[-1] == "2 scenarios, 3 agents: valid"


def test_a_typescript_tool_that_a_scenario_uses_is_the_one_problem(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write_files(folder, {"scenarios/internal-teams/gift.yaml": WITH_TOOL})
    _assert_only_the_tool(
        folder, "agentlab.config.yaml:18:5: tools[0].module_path: `user_tools/findGift.ts`", monkeypatch
    )


def test_the_tool_s_own_files(monkeypatch: pytest.MonkeyPatch) -> None:
    if "AGENTLAB_COMPAT" not in os.environ:
        pytest.skip("AGENTLAB_COMPAT names no folder with agent-regression-lab's files")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = Path(os.environ["AGENTLAB_COMPAT"])
    problem = "agentlab.config.yaml:27:5: tools[0].module_path: `user_tools/findDuplicateCharge.ts`"
    _assert_only_the_tool(folder, problem, monkeypatch)


def _assert_only_the_tool(folder: Path, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(validate.command)
    assert isinstance(result.exception, InvalidFilesError)
    (line,) = str(result.exception).splitlines()
    assert line.startswith(f"{problem} is not Python: write ")
