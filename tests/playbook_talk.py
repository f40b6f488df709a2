"""A task for a playbook, and tools that answer what a test says, one answer after the other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.agents.playbooks.choice import work
from agentlab_ci.core.tool import CallOutcome, TaskBrief, ToolSpec


class Fails(str):
    """An answer that is an error."""

    __slots__ = ()


Script = dict[str, list[Any]]
"""For each allowed tool, what it answers to its first call, its second, ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a playbook did: its calls as (tool, input), what it said beside them, and its final answer."""

    calls: list[tuple[str, dict[str, Any]]]
    messages: list[str]
    final: str


def brief_of(
    instructions: str, tools: Script, *, needs: Mapping[str, list[str]] | None = None, **given: Any
) -> TaskBrief:
    """Make a task that allows the tools; `needs` are required inputs of some of them, `given` its variables."""
    specs = (
        ToolSpec(
            name=name, description="", input_schema={"type": "object", "required": (needs or {}).get(name, [])}
        )
        for name in tools
    )
    return TaskBrief(instructions=instructions, tools=tuple(specs), variables=given)


def perform(
    instructions: str, tools: Script, *, needs: Mapping[str, list[str]] | None = None, **given: Any
) -> Done:
    """Let the playbook that fits work on a task to its end; a call that no answer is left for fails the test."""
    answers = {name: list(each) for name, each in tools.items()}
    play = work(brief_of(instructions, tools, needs=needs, **given))
    calls, messages = [], []
    try:
        action = next(play)
        while True:
            name, value = action.request.name, dict(action.request.input)
            calls.append((name, value))
            messages.append(action.message)
            answer = answers[name].pop(0)
            is_error = isinstance(answer, Fails)
            action = play.send(
                CallOutcome(name=name, error=answer) if is_error else CallOutcome(name=name, output=answer)
            )
    except StopIteration as end:
        return Done(calls=calls, messages=messages, final=end.value)
