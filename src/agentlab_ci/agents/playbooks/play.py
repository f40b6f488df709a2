"""What a playbook is: a generator that yields calls, is sent what came of them, and returns the final answer."""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief, ToolSpec

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A call, and in `message` what the agent says that it is for."""

    request: CallRequest
    message: str


Play = Generator[Action, CallOutcome, AnswerT]


class StuckError(Exception):
    """The work cannot go on; the message is the final answer, and says what was not done and why."""


@dataclass(frozen=True, slots=True)
class Job:
    """A task as playbooks see it: words to look for, variables, and the tools that are allowed."""

    brief: TaskBrief

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether the instructions hold the pattern; white space is collapsed, case is the pattern's."""
        return pattern.search(self.text) is not None

    @property
    def text(self) -> str:
        """The instructions on one line."""
        return " ".join(self.brief.instructions.split())

    def variable(self, *names: str) -> str | None:
        """Return the first of these variables that is a text with something in it."""
        values = (self.brief.variables.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value.strip()), None)

    def find_tool(self, name: str) -> ToolSpec | None:
        """Return the tool if it is allowed."""
        return next((tool for tool in self.brief.tools if tool.name == name), None)

    def allows(self, *names: str) -> bool:
        """Tell whether one of the tools is allowed."""
        return any(self.find_tool(name) for name in names)

    def call(self, tool: str, purpose: str, value: Mapping[str, Any]) -> Play[CallOutcome]:
        """Call a tool and return what came of it.

        `purpose` goes on after "I cannot": it is what the agent says beside its call, and in the StuckError that a
        tool which is not allowed raises.
        """
        if not self.allows(tool):
            raise StuckError(f"I cannot {purpose}: {tool} is not allowed.")
        message = f"{purpose[0].upper()}{purpose[1:]}."
        return (yield Action(request=CallRequest(name=tool, input=dict(value)), message=message))

    def ask(self, tool: str, purpose: str, value: Mapping[str, Any], *, subject: str) -> Play[Any]:
        """Call a tool and return its output.

        `subject` begins the StuckError that an error raises, verb included: `The orders of cus_1 are`.
        """
        outcome = yield from self.call(tool, purpose, value)
        if outcome.error is not None:
            raise StuckError(f"{subject} unavailable: {outcome.error}")
        return outcome.output


def find_missing(tool: ToolSpec, known: Mapping[str, Any]) -> list[str]:
    """Return what a tool requires and nobody knows."""
    return [name for name in tool.input_schema.get("required", ()) if known.get(name) is None]


def fill_input(tool: ToolSpec, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a tool's input."""
    names = {**tool.input_schema.get("properties", {}), **dict.fromkeys(tool.input_schema.get("required", ()))}
    return {name: known[name] for name in names if known.get(name) is not None}


def read_text(output: object, key: str) -> str | None:
    """Return a text of a tool's output; None where there is no such text."""
    value = output.get(key) if isinstance(output, Mapping) else None
    return value if isinstance(value, str) and value else None


def read_records(output: object, *, subject: str) -> list[Mapping[str, Any]]:
    """Return the records of a tool's output; raises StuckError when it is no list of them.

    `subject` begins its message: `The orders of cus_1`.
    """
    if isinstance(output, list) and all(isinstance(record, Mapping) for record in output):
        return output
    raise StuckError(f"{subject} came back unreadable, so I do not rely on them.")


def join_words(words: list[str], *, last: str = "or") -> str:
    """Return `a, b or c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
