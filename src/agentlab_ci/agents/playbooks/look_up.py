"""What is done when no playbook fits: look with every tool that can be called with what is known, and report."""

import json
from collections.abc import Mapping
from typing import Any

from agentlab_ci.agents.playbooks.customer import find_email
from agentlab_ci.agents.playbooks.play import Job, Play, StuckError, fill_input, find_missing, join_words
from agentlab_ci.core.tool import ToolSpec

_CHANGING = frozenset(
    {"orders.refund", "accounts.update_newsletter", "subscriptions.cancel", "repo.apply_patch"},
)
"""Built-in tools that change something, which nobody has asked for in words that a playbook knows."""


def play(job: Job) -> Play[str]:
    """Call each tool once, as soon as all of its required input is known from the task or from earlier results."""
    known: dict[str, Any] = {**job.brief.variables, "email": find_email(job)}
    waiting = [tool for tool in job.brief.tools if tool.name not in _CHANGING]
    seen = []
    while ready := next((tool for tool in waiting if not find_missing(tool, known)), None):
        waiting.remove(ready)
        outcome = yield from job.call(ready.name, f"look what {ready.name} says", fill_input(ready, known))
        if outcome.error is not None:
            seen.append(f"{ready.name} failed: {outcome.error}")
            continue
        seen.append(f"{ready.name} says {json.dumps(outcome.output, ensure_ascii=False)}")
        known = _learn(ready, outcome.output) | {name: value for name, value in known.items() if value is not None}
    if not seen:
        raise StuckError(f"I have no playbook for this task: {_say_what_lacks(job, waiting, known)}.")
    return f"I have no playbook for this task, so I only looked: {'; '.join(seen)}."


def _learn(tool: ToolSpec, output: object) -> dict[str, Any]:
    """Return what a result adds: its plain values by name, and the customer's id."""
    if not isinstance(output, Mapping):
        return {}
    learnt = {name: value for name, value in output.items() if isinstance(value, str | int | float)}
    if tool.name == "crm.search_customer" and "id" in learnt:
        learnt["customer_id"] = learnt.pop("id")
    return learnt


def _say_what_lacks(job: Job, waiting: list[ToolSpec], known: Mapping[str, Any]) -> str:
    lacks = [f"{tool.name} needs {join_words(find_missing(tool, known), last='and')}" for tool in waiting]
    if lacks:
        return f"it does not say what its tools need ({'; '.join(lacks)})"
    names = [tool.name for tool in job.brief.tools]
    return f"it allows {join_words(names, last='and') if names else 'no tool'} and asks for nothing that I know"
