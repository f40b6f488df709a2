import pytest

from agentlab_ci.core.identity import hash_scenario
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import (
    Conversation,
    Mode,
    Normalize,
    Place,
    SamplingChoice,
    ScenarioType,
    Simulation,
    Task,
)
from agentlab_ci.loading.scenarios import declared_ids, read_scenarios
from yaml_projects import CONVERSATION, ROWS, SIMULATION, TASK, document_of, scenario_of, scenario_problems


def test_a_conversation_is_read_whole() -> None:
    scenario = scenario_of(CONVERSATION)
    assert (scenario.id, scenario.name, scenario.suite) == ("support.order", "Where is the order", "support")
    assert scenario.type is ScenarioType.CONVERSATION
    assert scenario.tags == ("smoke",)
    assert scenario.sampling == SamplingChoice(samples=3, pass_rate=PassRate("0.75"))
    assert scenario.place == Place(path="x.yaml", line=1)
    assert isinstance(scenario.body, Conversation)
    (step,) = scenario.body.steps
    assert step.message == "Where is my order?"
    assert [(spec.id, spec.type, spec.mode) for spec in step.evaluators] == [
        ("response_contains", "response_contains", Mode.HARD_GATE)
    ]
    assert step.evaluators[0].config.keywords == ("order",)
    assert [(spec.id, spec.mode, spec.weight) for spec in scenario.evaluators] == [
        ("step_count_max", Mode.WEIGHTED, 2.0)
    ]


def test_a_task_is_the_default_type_and_read_whole() -> None:
    scenario = scenario_of(TASK)
    assert scenario.body == Task(
        instructions="Refund the order that was charged twice.",
        success_hint="Only one of them.",
        fixtures=("fixtures/support/orders.json",),
        variables={"customer": 12, "since": "2024-01-01"},
        tools_allowed=("orders.list", "orders.refund"),
        tools_forbidden=("orders.refund_all",),
        max_steps=4,
        timeout_seconds=30,
    )
    assert scenario.evaluators[0].id == "refunded"
    assert scenario_of("type: task\n" + TASK) == scenario


def test_what_is_absent_has_its_default() -> None:
    scenario = scenario_of(TASK.replace("runtime: {max_steps: 4, timeout_seconds: 30}\n", ""))
    assert isinstance(scenario.body, Task)
    assert (scenario.body.max_steps, scenario.body.timeout_seconds) == (8, None)
    assert scenario.sampling == SamplingChoice()
    assert scenario.normalize == Normalize()
    assert (scenario.description, scenario.difficulty, scenario.tags) == ("", "", ())
    assert (scenario.agent, scenario.system_prompt, scenario.runtime_profile, scenario.setup_script) == (None,) * 4


def test_the_common_keys() -> None:
    more = (
        "description: d\ndifficulty: hard\nagent: a\nagent_preset: {system_prompt: Be kind.}\nruntime_profile: p\n"
        "setup_script: setup.py\nnormalize: {strip_whitespace: true, lowercase: true, ignore_dates: true}\n"
        "state: {conversation_id: auto}\n"
    )
    scenario = scenario_of(CONVERSATION + more)
    assert (scenario.description, scenario.difficulty, scenario.agent) == ("d", "hard", "a")
    assert (scenario.system_prompt, scenario.runtime_profile) == ("Be kind.", "p")
    assert scenario.setup_script == "setup.py"
    assert scenario.normalize == Normalize(strip_whitespace=True, lowercase=True, ignore_dates=True)


def test_a_simulation_is_read_whole() -> None:
    assert scenario_of(SIMULATION).body == Simulation(
        instructions="You want your money back.",
        agent_expectations="The agent stays calm.",
        userdata={"order": "ord_1"},
        max_turns=4,
    )


def test_a_list_file_holds_simulations() -> None:
    scenarios, problems = read_scenarios(document_of(ROWS, "scenarios/Night shift.v2.yaml"))
    assert problems == []
    late, refund = scenarios
    assert (late.id, late.name, late.suite) == (
        "night-shift-v2.late-order-angry",
        "Late order, angry!",
        "night-shift-v2",
    )
    assert late.tags == ("priority:high", "vip:true")
    assert late.place == Place(path="scenarios/Night shift.v2.yaml", line=3, column=5)
    assert late.body == Simulation(
        instructions="Ask where it is.", agent_expectations="It says when it comes.", userdata={"order": 7}
    )
    assert (refund.id, refund.suite) == ("shop.refund", "night-shift-v2")


OWN_DOCUMENT = "a row has none; write this scenario as a document of its own, with `type: simulation`"
ROW_KEYS = "`label`, `instructions`, `agent_expectations`, `tags`, `userdata`, `id`"
LIVEKIT_FILE = """\
id: SCNG_4hV9tRcWm2Yb
name: Desk
scenarios:
  - id: SCN_7kQ2xNpLs8Zd
    label: Find a late parcel
    instructions: >
      You are Kim Novak (kim.novak@example.com).
      Ask where parcel 88 is. You have no patience.
    agent_expectations: Says on which day it arrives
    tags:
      feature: tracking
      smoke: ""
    userdata:
      guest: {first_name: Kim, last_name: Novak}
      today: 2026-06-08
      free_slots: ["2026-06-09T10:00"]
      expected_state: [UPDATE parcels SET asked = 1]
"""
"""A file as LiveKit's documentation has them: an id, a name, and rows whose ids are another tool's."""


def test_a_file_as_livekit_documents_it() -> None:
    scenarios, problems = read_scenarios(document_of(LIVEKIT_FILE, "scenarios/scenarios.yaml"))
    assert problems == []
    (found,) = scenarios
    assert (found.id, found.name, found.suite) == ("SCN_7kQ2xNpLs8Zd", "Find a late parcel", "scenarios")
    assert found.tags == ("feature:tracking", "smoke")
    assert isinstance(found.body, Simulation)
    assert found.body.userdata["guest"] == {"first_name": "Kim", "last_name": "Novak"}
    assert found.body.userdata["today"] == "2026-06-08"


def test_the_id_of_a_file_is_nobodys() -> None:
    document = document_of(LIVEKIT_FILE.replace("SCN_7kQ2xNpLs8Zd", "SCNG_4hV9tRcWm2Yb"))
    scenarios, problems = read_scenarios(document)
    assert problems == []
    assert [id_ for id_, _ in declared_ids(document, scenarios)] == ["SCNG_4hV9tRcWm2Yb"]
    (without, _) = read_scenarios(document_of(LIVEKIT_FILE.split("\n", 1)[1], "scenarios/scenarios.yaml"))
    (with_id, _) = read_scenarios(document_of(LIVEKIT_FILE, "scenarios/scenarios.yaml"))
    assert [hash_scenario(it, None) for it in with_id] == [hash_scenario(it, None) for it in without]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "1:1: must be a scenario (lines of `key: value`), not a list; write one scenario per document"),
        ("hello\n", "1:1: must be a scenario (lines of `key: value`), not a single value"),
        (
            "id: a.b\ntype: conversaton\n",
            "2:1: type: must be one of `task`, `conversation`, `simulation`, not `conversaton`",
        ),
        ("type: 3\n", "1:1: type: must be one of `task`, `conversation`, `simulation`, not the number `3`"),
        ("type: [a]\n", "1:1: type: must be one of `task`, `conversation`, `simulation`, not a list"),
        ("name: x\nscenarios: []\n", "2:1: scenarios: this list file has no scenarios: give it rows such as `- {"),
        ("name: x\nscenarios:\n", "2:1: scenarios: this list file has no scenarios: give it rows"),
        ("name: x\n", "1:1: scenarios: this list file has no scenarios: give it rows"),
        ("name: x\nscenarios: {a: 1}\n", "2:1: scenarios: must be a list"),
    ],
)
def test_a_document_that_is_no_scenario(text: str, problem: str) -> None:
    (found,) = scenario_problems(text)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{label: a, instructions: b}", "3:4: scenarios[0]: `agent_expectations` is required"),
        (
            "{label: '!?', instructions: b, agent_expectations: c}",
            "3:5: scenarios[0].label: must hold a letter or a digit, from which the id is made",
        ),
        (
            "{label: a, instructions: b, agent_expectations: c, id: 'a b'}",
            "3:55: scenarios[0].id: must be letters, digits, `-`, `_` and `.`, such as `support.refund-twice`",
        ),
        (
            "{label: a, instructions: b, agent_expectations: c, tag: {}}",
            "3:55: scenarios[0]: unknown key `tag`; did you mean `tags`?",
        ),
        (
            "{label: a, instructions: b, agent_expectations: c, evaluators: []}",
            f"3:55: scenarios[0]: unknown key `evaluators`: {OWN_DOCUMENT}",
        ),
        (
            "{label: a, instructions: b, agent_expectations: c, max_turns: 3}",
            f"3:55: scenarios[0]: unknown key `max_turns`: {OWN_DOCUMENT}",
        ),
        # It has one, under another name.
        (
            "{label: a, instructions: b, agent_expectations: c, name: d}",
            f"3:55: scenarios[0]: unknown key `name`; there is {ROW_KEYS}",
        ),
    ],
)
def test_a_row_that_is_wrong(row: str, problem: str) -> None:
    assert scenario_problems(f"name: x\nscenarios:\n - {row}\n") == [problem]


def test_a_task_needs_tools_and_evaluators() -> None:
    text = TASK.replace("allowed: [orders.list, orders.refund]", "allowed: []")
    text = text[: text.index("evaluators:")] + "evaluators: []\n"
    assert scenario_problems(text) == [
        "11:3: tools.allowed: must have at least 1 item",
        "14:1: evaluators: must have at least 1 item",
    ]


def test_wrong_keys_do_not_hide_wrong_evaluators() -> None:
    text = CONVERSATION.replace("name: Where is the order", "nam: x").replace("response_contains", "response_has")
    problems = scenario_problems(text)
    assert len([problem for problem in problems if "unknown" in problem]) == 2
    assert any("`name` is required" in problem for problem in problems)
