"""Tools that go wrong on purpose, as a runtime profile says. A call with a fault never reaches its tool.

So nothing has happened that a second try could trip over: a refund whose answer was malformed can still be made.
"""

import asyncio
import copy
from collections import Counter

from agentlab_ci.core.chance import happens
from agentlab_ci.core.config import RuntimeProfile, ToolFault
from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.interface import ToolContext

MALFORMED_OUTPUT = "MALFORMED_OUTPUT"
"""What a tool answers in the mode of that name, where an agent expects its usual output."""
DEFAULT_ERROR = "internal error"
"""What a tool says in the mode `error` when the fault has no `error_message`."""


class ToolFaults:
    """The faults of one sample. They are the same in any order of execution, and in every draw of the sample."""

    def __init__(self, profile: RuntimeProfile | None, context: ToolContext) -> None:
        self._profile = profile
        self._context = context
        self._calls: Counter[str] = Counter()

    def strike(self, tool: str) -> ToolFault | None:
        """Count a call of the tool and return the fault that it suffers, the first that applies."""
        self._calls[tool] += 1
        return find_fault(self._profile, self._context, tool, self._calls[tool]) if self._profile else None


def find_fault(profile: RuntimeProfile, context: ToolContext, tool: str, call: int) -> ToolFault | None:
    """Return the first fault that applies to a call, which is the `call`-th of the tool in its sample, from 1."""
    for index, fault in enumerate(profile.tool_faults):
        if fault.tool != tool or fault.on_call not in (None, call):
            continue
        if happens(fault.probability, profile.seed, context.scenario_id, context.sample, "tool", index, call):
            return fault
    return None


async def suffer(fault: ToolFault) -> CallOutcome:
    """Return what the agent is told instead of the tool's result; a timeout takes its `timeout_ms` first."""
    output: object = None
    error = None
    duration_ms = 0
    match fault.mode:
        case "timeout":
            duration_ms = fault.timeout_ms
            await asyncio.sleep(duration_ms / 1000)
            error = fault.error_message or f"no result within {duration_ms} ms"
        case "error":
            error = fault.error_message or DEFAULT_ERROR
        case "malformed_output":
            output = MALFORMED_OUTPUT
        case "partial_output":
            output = copy.deepcopy(fault.partial_output)
    return CallOutcome(name=fault.tool, output=output, error=error, duration_ms=duration_ms, fault=fault.mode)
