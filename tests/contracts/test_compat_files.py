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
from command import Ended, agentlab
from compat import copy_own_files, needs_own_files, put_tool_into_python
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
    customer_email: alice@example.com
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
        customer_id: cus_100
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


TYPESCRIPT = "agentlab.config.yaml:27:5: tools[0].module_path: `user_tools/findDuplicateCharge.ts`"


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


def assert_refused(ended: Ended, sentence: str) -> None:
    assert ended.code == 2, ended.out
    assert sentence in ended.err
    assert not (ended.folder / "agentlab-report").exists(), "nothing ran"


def test_a_scenario_with_a_slow_tool_runs_as_it_is(folder: Path) -> None:
    ended = agentlab(folder, "run", "internal-teams.slow-orders", "--agent", "mock-default")
    assert ended.code == 0, ended.out + ended.err
    (sample,) = ended.results["scenarios"][0]["samples"]
    assert [(call["name"], call["fault"]) for call in sample["tool_calls"]] == [
        ("crm.search_customer", None),
        ("orders.list", "timeout"),
    ]
    assert sample["tool_calls"][1]["duration_ms"] == 1500


OWN_ENDS = {
    "coding.fix-add-function": "passed",
    "coding.update-greeting": "passed",
    "internal-teams.coding-destructive-edit": "passed",
    "internal-teams.escalation-on-ambiguity": "passed",
    "internal-teams.incident-noisy-alerts": "passed",
    "internal-teams.memory-cross-session-leak": "skipped",  # a conversation, and the agent has no `replies`
    "internal-teams.memory-followup-recall": "skipped",  # the same
    "internal-teams.tool-malformed-output": "passed",
    "internal-teams.tool-timeout-profile": "passed",  # it takes the 1.5 s of its fault
    "internal-teams.variant-budget-regression": "passed",
    "ops.payments-api-alert": "passed",
    "ops.search-api-alert": "passed",
    "research.remote-work-policy": "passed",
    "research.travel-expense-policy": "passed",
    "support.cancel-subscription": "passed",
    "support.disable-newsletter": "passed",
    "support.refund-bob-order": "passed",
    "support.refund-correct-order": "passed",
    "support.refund-via-config-tool": "passed",  # with its tool in Python
}
"""What becomes of each of the tool's own scenarios on `mock-default`, as that tool's config has it."""


@pytest.fixture(scope="module")
def own_run(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """The tool's own scenarios."""
    folder = copy_own_files(tmp_path_factory.mktemp("own"))
    put_tool_into_python(folder)
    return agentlab(folder, "run", "--agent", "mock-default")


@needs_own_files
def test_the_tool_s_own_scenarios_end_as_they_must(own_run: Ended) -> None:
    assert own_run.code == 0, own_run.out + own_run.err
    ends = {row["scenario_id"]: row["verdict"] or "skipped" for row in own_run.results["scenarios"]}
    assert sorted(ends.items()) == list(OWN_ENDS.items())


@needs_own_files
def test_no_two_of_the_tool_s_own_tasks_get_the_same_answer(own_run: Ended) -> None:
    finals = [s["final_output"] for row in own_run.results["scenarios"] for s in row["samples"]]
    assert len(finals) == list(OWN_ENDS.values()).count("passed")
    assert len(set(finals)) == len(finals)


@needs_own_files
def test_the_tool_s_own_conversations_pass_on_an_agent_that_remembers(own_run: Ended) -> None:
    names = [name for name, end in OWN_ENDS.items() if end == "skipped"]
    ended = agentlab(own_run.folder, "run", *names, "--agent", "remembers", "--report-dir", "of-talk")
    assert ended.code == 0, ended.out + ended.err
    assert ended.out.splitlines()[-1] == "✓ all 2 scenarios passed"


@needs_own_files
@pytest.mark.parametrize(
    ("selection", "count"),
    [
        (["--suite", "ops"], 2),
        (["--suite", "coding"], 2),
        (["--suite", "research"], 2),
        (["--suite-def", "smoke"], 1),
        (["support.refund-correct-order", "support.cancel-subscription"], 2),
    ],
    ids=str,
)
def test_what_does_not_use_the_typescript_tool_runs_unmodified(
    tmp_path: Path, selection: list[str], count: int
) -> None:
    ended = agentlab(copy_own_files(tmp_path), "run", *selection, "--agent", "mock-default")
    assert ended.code == 0, ended.out + ended.err
    assert [row["verdict"] for row in ended.results["scenarios"]] == ["passed"] * count


@needs_own_files
def test_a_run_that_uses_the_typescript_tool_is_refused_with_what_to_write_instead(tmp_path: Path) -> None:
    ended = agentlab(copy_own_files(tmp_path), "run", "--suite", "support", "--agent", "mock-default")
    assert_refused(ended, f"{TYPESCRIPT} is not Python: write ")


@needs_own_files
def test_the_tool_s_own_files_have_one_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    _assert_only_the_tool(Path(os.environ["AGENTLAB_COMPAT"]), TYPESCRIPT, monkeypatch)


def _assert_only_the_tool(folder: Path, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(validate.command)
    assert isinstance(result.exception, InvalidFilesError)
    (line,) = str(result.exception).splitlines()
    assert line.startswith(f"{problem} is not Python: write ")
