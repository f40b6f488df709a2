from dataclasses import replace
from typing import Any

import pytest

from agentlab_ci.core.config import AgentConfig, ExternalProcessAgent, HttpAgent, OpenAIAgent, PythonAgent
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.scenario import Task
from agentlab_ci.loading.profile_notes import note_profile
from scripted_agent import make_config, make_mock, make_scenario

MOCK = make_mock("mock")
KEEPS = HttpAgent(name="keeps", provider=Provider.HTTP, url="http://localhost:3000/")
SENT = KEEPS.model_copy(update={"request_template": {"all": "{{messages}}", "knows": "{{memory}}"}})
GPT = OpenAIAgent(name="gpt", provider=Provider.OPENAI, model="m")
OWN = PythonAgent(name="own", provider=Provider.PYTHON, target="a:b")
PROCESS = ExternalProcessAgent(name="process", provider=Provider.EXTERNAL_PROCESS, command="x")

NOTHING = "changes nothing for this scenario"
UNTOLD = "has `seeded_messages`, of which no agent that can run this is told any"
UNKNOWN = "has a `memory_blob`, which no agent that can run this is told; an http agent is by `{{memory}}`"
NO_HTTP = "has `http_faults`, but no agent that can run this is reached over HTTP"
FOR_TALKS = "has `seeded_messages`, which are for conversations"
UNSAID = (
    "has seeded messages of `assistant` and `system`, which cannot be put into the history that the agent keeps "
    "itself: only the user's are said"
)

DROP = {"http_faults": [{"mode": "drop"}]}
FAULT = {"tool_faults": [{"tool": "orders.list", "mode": "error"}]}
OTHER = {"tool_faults": [{"tool": "docs.read", "mode": "error"}, {"tool": "docs.read", "mode": "timeout"}]}
USER, ASSISTANT, SYSTEM = ({"role": role, "message": "x"} for role in ("user", "assistant", "system"))


def state(*seeds: dict[str, str], reset: str = "per_run", memory: bool = False) -> dict[str, Any]:
    return {"state": {"seeded_messages": seeds, "reset": reset, "memory_blob": {"seat": 1} if memory else {}}}


def notes(profile: dict[str, Any], *agents: AgentConfig, task: bool, agent: str | None = None) -> list[str]:
    config = make_config(*agents, runtime_profiles=[{"name": "p", **profile}])
    scenario = make_scenario(runtime_profile="p", agent=agent)
    if task:
        scenario = replace(scenario, body=Task(instructions="", tools_allowed=("orders.list",)))
    return [note.removeprefix("the profile `p` ") for note in note_profile(scenario, config)]


@pytest.mark.parametrize(
    ("profile", "agents", "expected"),
    [
        ({}, [KEEPS], [NOTHING]),
        (FAULT, [KEEPS], [NOTHING]),
        (DROP, [KEEPS], []),
        (DROP, [GPT], []),
        (DROP, [MOCK, OWN], [NOTHING]),
        (DROP, [MOCK, KEEPS], []),  # which of them runs it is not known yet
        (DROP | state(USER), [OWN], [NO_HTTP]),
        (state(USER), [KEEPS], []),
        (state(USER), [OWN], []),
        (state(USER), [MOCK], [NOTHING]),
        (state(USER, reset="manual"), [KEEPS], [UNTOLD]),
        (state(USER, reset="manual"), [SENT], []),
        (state(ASSISTANT), [KEEPS], [NOTHING]),
        (state(USER, ASSISTANT, SYSTEM, ASSISTANT), [KEEPS], [UNSAID]),
        (state(USER, ASSISTANT, SYSTEM), [SENT], []),
        (state(USER, ASSISTANT, SYSTEM), [KEEPS, GPT], []),
        (state(memory=True), [KEEPS], [NOTHING]),
        (state(memory=True), [SENT], []),
        (state(memory=True), [GPT], []),
        (state(USER, memory=True), [KEEPS], [UNKNOWN]),
        (state(reset="per_variant_run"), [KEEPS], []),
    ],
)
def test_what_a_profile_does_not_do_for_a_conversation(
    profile: dict[str, Any], agents: list[AgentConfig], expected: list[str]
) -> None:
    assert notes(profile, *agents, task=False) == expected


@pytest.mark.parametrize(
    ("profile", "agents", "expected"),
    [
        (FAULT, [PROCESS], []),
        (OTHER, [PROCESS], [NOTHING]),
        ({"tool_faults": FAULT["tool_faults"] + OTHER["tool_faults"]}, [PROCESS],
         ["has a fault for `docs.read`, which is not allowed here"]),
        (DROP, [GPT], []),
        (DROP, [PROCESS, KEEPS], [NOTHING]),  # an http agent runs no tasks
        (state(USER, reset="manual"), [OWN], [NOTHING]),
        (state(USER, memory=True), [OWN], [FOR_TALKS]),
        (state(reset="manual", memory=True), [PROCESS], ["has a `reset`, which is for conversations"]),
        (state(memory=True), [MOCK], [NOTHING]),
    ],
)  # fmt: skip
def test_what_a_profile_does_not_do_for_a_task(
    profile: dict[str, Any], agents: list[AgentConfig], expected: list[str]
) -> None:
    assert notes(profile, *agents, task=True) == expected


def test_the_agent_that_the_scenario_names_decides() -> None:
    assert notes(DROP, MOCK, KEEPS, task=False, agent="keeps") == []
    assert notes(DROP, MOCK, KEEPS, task=False, agent="mock") == [NOTHING]


def test_no_profile_needs_no_note() -> None:
    assert list(note_profile(make_scenario(), make_config())) == []
