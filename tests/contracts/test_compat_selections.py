"""Suite definitions and variant sets of agent-regression-lab's users: which scenarios they run, and how these end.

Once for that tool's own files, where AGENTLAB_COMPAT names them, and always for a small project in their form.
"""

import re
from pathlib import Path

import pytest

from command import Ended, agentlab, conversation
from compat import copy_own_files, needs_own_files, put_tool_into_python
from loopback import hostile_agent
from yaml_projects import write_files

Ends = dict[str, str]
"""The verdict of each scenario, in order."""


def ends_of(ended: Ended) -> Ends:
    """Read the verdicts, by scenario and variant where there is one."""
    return {
        " · ".join([row["scenario_id"], *([row["variant"]["variant_label"]] if row["variant"] else [])]): row[
            "verdict"
        ]
        for row in ended.results["scenarios"]
    }


def run_on_stub(folder: Path, definition: str) -> Ended:
    """Run a definition on an HTTP agent that repeats all it was told."""
    with hostile_agent() as server:
        config = folder / "agentlab.config.yaml"
        stub = f"agents:\n  - {{name: stub, provider: http, url: '{server.url('/ok')}'}}\n"
        config.write_text(config.read_text(encoding="utf-8").replace("agents:\n", stub, 1), encoding="utf-8")
        return agentlab(folder, "run", "--suite-def", definition, "--agent", "stub")


def assert_refused(ended: Ended, ids: list[str]) -> None:
    assert ended.code == 2, ended.out
    said = ended.err.splitlines()
    assert said[0] == "agentlab: nothing to judge: these scenarios cannot run on their agent"
    assert [line.strip().partition(": ")[0] for line in said[1:]] == ids
    assert not (ended.folder / "agentlab-report").exists()


BUDGET, TIMEOUT = "internal-teams.variant-budget-regression", "internal-teams.tool-timeout-profile"
CONVERSATIONS = ("internal-teams.memory-cross-session-leak", "internal-teams.memory-followup-recall")
RELEASE = (
    "internal-teams.coding-destructive-edit",
    "internal-teams.escalation-on-ambiguity",
    "internal-teams.incident-noisy-alerts",
    *CONVERSATIONS,
    "internal-teams.tool-malformed-output",
    TIMEOUT,
    BUDGET,
    "support.cancel-subscription",
    "support.disable-newsletter",
    "support.refund-bob-order",
    "support.refund-correct-order",
    "support.refund-via-config-tool",
)
OWN_DEFINITIONS: dict[str, tuple[str, ...]] = {
    "smoke": (BUDGET,),
    "pre_merge": (TIMEOUT, BUDGET),
    "release": RELEASE,
    "incident_regressions": ("internal-teams.incident-noisy-alerts", TIMEOUT, BUDGET),
}
"""What each definition picks, in order. All of it passes but the conversations, on an agent without replies."""
OWN_SET = "refund-agent-model-comparison"


def verdict_on_mock(scenario_id: str) -> str:
    return "skipped" if scenario_id in CONVERSATIONS else "passed"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = copy_own_files(tmp_path)
    put_tool_into_python(folder)
    return folder


@needs_own_files
@pytest.mark.parametrize("definition", OWN_DEFINITIONS)
def test_the_tool_s_own_definitions_run_on_mock(own: Path, definition: str) -> None:
    ended = agentlab(own, "run", "--suite-def", definition, "--agent", "mock-default")
    assert ended.code == 0, ended.out + ended.err
    assert list(ends_of(ended).items()) == [(id_, verdict_on_mock(id_)) for id_ in OWN_DEFINITIONS[definition]]


@needs_own_files
def test_the_tool_s_own_release_runs_its_two_conversations_on_an_http_agent(tmp_path: Path) -> None:
    ended = run_on_stub(copy_own_files(tmp_path), "release")
    assert ended.code == 0, ended.out + ended.err
    assert list(ends_of(ended).items()) == [
        (id_, "passed" if id_ in CONVERSATIONS else "skipped") for id_ in RELEASE
    ]
    assert len(re.findall("^○ .* · skipped · a task does not run on stub", ended.out, re.MULTILINE)) == 11
    assert ended.out.splitlines()[-1] == "✓ all 2 scenarios passed; 11 skipped"


@needs_own_files
@pytest.mark.parametrize("definition", [name for name in OWN_DEFINITIONS if name != "release"])
def test_the_tool_s_other_definitions_hold_tasks_only_which_no_http_agent_runs(
    tmp_path: Path, definition: str
) -> None:
    assert_refused(run_on_stub(copy_own_files(tmp_path), definition), list(OWN_DEFINITIONS[definition]))


@needs_own_files
@pytest.mark.parametrize("definition", OWN_DEFINITIONS)
def test_the_tool_s_own_variant_set_runs_on_mock(own: Path, definition: str) -> None:
    ended = agentlab(own, "run", "--variant-set", OWN_SET, "--suite-def", definition)
    assert ended.code == 0, ended.out + ended.err
    assert list(ends_of(ended).items()) == [
        (f"{id_} · {label}", verdict_on_mock(id_))
        for id_ in OWN_DEFINITIONS[definition]
        for label in ("baseline", "concise")
    ]
    variants = [
        {key: value for key, value in row["variant"].items() if key != "config_hash"}
        for row in ended.results["scenarios"][:2]
    ]
    assert variants == [
        {
            "variant_set_name": OWN_SET,
            "variant_label": label,
            "prompt_version": prompt,
            "model_version": "mock-model",
            "tool_schema_version": "support-tools-v1",
            "config_label": f"{label}-refund-flow",
        }
        for label, prompt in (("baseline", "prompt-v3"), ("concise", "prompt-v4"))
    ]


CONFIG = """\
agents:
  - name: mock-default
    provider: mock
    label: mock-default
  - name: mock-compact
    provider: mock
    label: mock-compact
variant_sets:
  - name: prompts
    variants:
      - agent: mock-default
        label: baseline
        prompt_version: prompt-v1
      - agent: mock-compact
        label: concise
        prompt_version: prompt-v2
suite_definitions:
  - name: smoke
    include: {tags: [smoke]}
  - name: release
    include: {suites: [support, travel]}
    exclude: {tags: [wip]}
  - name: incidents
    include: {tags: [incident], scenarios: ["support.refund*"]}
"""


def task(scenario_id: str, *tags: str) -> str:
    suite = scenario_id.partition(".")[0]
    return f"""\
id: {scenario_id}
name: Refund
suite: {suite}
tags: [{", ".join(tags)}]
task:
  instructions: The customer alice@example.com was charged twice. Refund one order.
tools:
  allowed: [crm.search_customer, orders.list, orders.refund]
evaluators:
  - {{type: tool_call_assertion, mode: hard_gate, config: {{tool: orders.refund, match: {{order_id: ord_1024}}}}}}
"""


DEFINITIONS: dict[str, Ends] = {
    "smoke": {"support.refund": "passed"},
    "release": {"support.refund": "passed", "support.refund-again": "passed", "travel.seat": "skipped"},
    "incidents": {"ops.refund-alert": "passed", "support.refund": "passed", "support.refund-again": "passed"},
}
"""What each definition of the small project runs, and how it ends on a mock without replies."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    steps = conversation("travel.seat", keyword="order")["steps"]
    return write_files(
        tmp_path,
        {
            "agentlab.config.yaml": CONFIG,
            "scenarios/ops/alert.yaml": task("ops.refund-alert", "incident"),
            "scenarios/support/again.yaml": task("support.refund-again"),
            "scenarios/support/a-first.yaml": task("support.refund", "smoke"),
            "scenarios/support/wip.yaml": task("support.unready", "wip"),
            "scenarios/travel/seat.yaml": (
                f"type: conversation\nid: travel.seat\nname: Seat\nsuite: travel\nsteps: {steps}\n"
            ),
        },
    )


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_definitions_run_on_mock(small: Path, definition: str) -> None:
    ended = agentlab(small, "run", "--suite-def", definition, "--agent", "mock-default")
    assert ended.code == 0, ended.out + ended.err
    assert list(ends_of(ended).items()) == list(DEFINITIONS[definition].items())


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_variant_set_runs_what_a_definition_picks_on_each_of_its_agents(small: Path, definition: str) -> None:
    ended = agentlab(small, "run", "--suite-def", definition, "--variant-set", "prompts")
    assert ended.code == 0, ended.out + ended.err
    assert list(ends_of(ended).items()) == [
        (f"{id_} · {label}", verdict)
        for id_, verdict in DEFINITIONS[definition].items()
        for label in ("baseline", "concise")
    ]


def test_an_http_agent_runs_the_conversations_of_a_definition_and_lists_the_rest(small: Path) -> None:
    ended = run_on_stub(small, "release")
    assert ended.code == 0, ended.out + ended.err
    assert ends_of(ended) == {
        "support.refund": "skipped",
        "support.refund-again": "skipped",
        "travel.seat": "passed",
    }


@pytest.mark.parametrize("definition", ["smoke", "incidents"])
def test_a_definition_of_tasks_only_is_nothing_for_an_http_agent(small: Path, definition: str) -> None:
    assert_refused(run_on_stub(small, definition), list(DEFINITIONS[definition]))
