import json
from typing import Any

from agentlab_ci.agents.interface import SessionStart
from agentlab_ci.agents.process_lines import write_start
from agentlab_ci.core.tool import TaskBrief


def started(memory: dict[str, Any], variables: dict[str, Any]) -> Any:
    start = SessionStart(scenario_id="s.one", sample=1, conversation_id="c1", memory=memory)
    return json.loads(write_start(start, TaskBrief(instructions="Do it.", tools=(), variables=variables)))["input"]


def test_a_memory_stands_in_context_and_metadata() -> None:
    told = started({"seat": "aisle"}, {"order": "o1"})
    assert told["context"] == {"memory": {"seat": "aisle"}, "order": "o1"}
    assert told["metadata"]["memory"] == {"seat": "aisle"}


def test_a_variable_of_that_name_is_the_scenarios_own() -> None:
    told = started({"seat": "aisle"}, {"memory": "mine"})
    assert (told["context"], told["metadata"]["memory"]) == ({"memory": "mine"}, {"seat": "aisle"})


def test_nothing_to_remember_is_not_told() -> None:
    told = started({}, {"order": "o1"})
    assert told["context"] == {"order": "o1"}
    assert "memory" not in told["metadata"]
