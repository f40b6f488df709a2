"""Tasks: the agent calls tools turn by turn until it gives its final answer, and the whole is judged."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import cast

from agentlab_ci.agents.interface import TaskSession, Worker
from agentlab_ci.core.config import ToolFault
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Scenario, Task
from agentlab_ci.core.text import plural
from agentlab_ci.core.tool import CallOutcome, CallRequest, TaskBrief
from agentlab_ci.core.tool_names import find_meant
from agentlab_ci.evaluators.interface import Evidence
from agentlab_ci.runner.interface import Draw, Patiently
from agentlab_ci.runner.judging import judge
from agentlab_ci.runner.recording import Recording
from agentlab_ci.tools.faults import ToolFaults, suffer
from agentlab_ci.tools.interface import Toolbox, ToolBrokenError, ToolContext


async def run_task(draw: Draw) -> TerminationReason:
    """Let the agent work until its final answer or a limit of the scenario, then judge what it did.

    A sample that went over a limit is judged as well: what it had done by then may tell why.
    """
    body = cast("Task", draw.scenario.body)
    context = ToolContext(scenario_id=draw.scenario.id, sample=draw.start.sample, fixtures=draw.fixtures)
    forbidden = _list_forbidden(draw.scenario, body)
    work = _Work(body, forbidden, draw.recording, draw.patiently, ToolFaults(draw.profile, context))
    async with draw.open_tools(body.tools_allowed, context) as toolbox:
        draw.recording.add_message(body.instructions)
        brief = TaskBrief(
            instructions=body.instructions,
            tools=toolbox.specs,
            variables=body.variables,
            max_steps=body.max_steps,
            forbidden=forbidden,
        )
        async with cast("Worker", draw.agent).task(draw.start, brief) as session:
            reason = await work.run_within_limit(session, toolbox)
    draw.recording.evaluations += await judge(
        draw.scenario.evaluators,
        Evidence(
            output=draw.recording.final_output or "",
            turns=work.steps,
            tool_calls=tuple(draw.recording.tool_calls),
            cost_usd=draw.recording.usage.cost_usd,
        ),
    )
    return reason


class _Work:
    """One draw of a task under way. `steps` are the turns taken: each call of a tool is one, and the answer.

    A call is recorded, and forbidden, as that of the tool which its name stands for; the agent is answered as it
    asked.
    """

    def __init__(
        self,
        body: Task,
        forbidden: tuple[str, ...],
        recording: Recording,
        patiently: Patiently,
        faults: ToolFaults,
    ) -> None:
        self._body = body
        self._forbidden = forbidden
        self._recording = recording
        self._patiently = patiently
        self._faults = faults
        self.steps = 0

    async def run_within_limit(self, session: TaskSession, toolbox: Toolbox) -> TerminationReason:
        try:
            async with asyncio.timeout(self._body.timeout_seconds) as limit:
                return await self._run(session, toolbox)
        except TimeoutError:
            if not limit.expired():
                raise
            seconds = f"{self._body.timeout_seconds:g}"
            self._recording.add_limit(f"no final answer within {seconds} s (`runtime.timeout_seconds`)")
            return TerminationReason.TIMEOUT_EXCEEDED

    async def _run(self, session: TaskSession, toolbox: Toolbox) -> TerminationReason:
        outcomes: tuple[CallOutcome, ...] = ()
        while True:
            turn = await self._patiently(partial(session.advance, outcomes))
            self._recording.add_turn(turn)
            if turn.final is not None:
                return TerminationReason.STEP_LIMIT_EXCEEDED if self._step() else TerminationReason.COMPLETED
            done: list[CallOutcome] = []
            for request in turn.calls:
                stop = await self._call(request, toolbox, done)
                if stop is not None:
                    return stop
            outcomes = tuple(done)

    async def _call(
        self, request: CallRequest, toolbox: Toolbox, done: list[CallOutcome]
    ) -> TerminationReason | None:
        """Make a call and note it; returns the reason when the sample ends with it."""
        tool = find_meant(request.name, allowed=self._body.tools_allowed, forbidden=self._forbidden)
        stop = None
        if self._step():
            stop = TerminationReason.STEP_LIMIT_EXCEEDED
            outcome = _blocked(request, f"not called: all {plural(self._body.max_steps, 'step')} are used up")
        elif tool in self._body.tools_forbidden:
            stop = TerminationReason.FORBIDDEN_TOOL_USED
            outcome = _blocked(request, "not called: the tool is forbidden")
            self._recording.add_limit(f"called {tool}, which `tools.forbidden` names")
        elif request.invalid is not None:
            outcome = _blocked(request, f"not called: {request.invalid}")
        else:
            outcome = await self._ask_tool(request, toolbox)
        self._recording.add_call(replace(request, name=tool), outcome)
        done.append(outcome)
        return stop

    async def _ask_tool(self, request: CallRequest, toolbox: Toolbox) -> CallOutcome:
        allowed = request.name in self._body.tools_allowed
        fault = self._faults.strike(request.name) if allowed else None
        try:
            if fault is not None:
                return await suffer(fault)
            return await toolbox.call(request.name, request.input)
        except (asyncio.CancelledError, ToolBrokenError) as end:
            why = str(end) or "cut short: the sample ended before the call did"
            self._recording.add_call(request, _blocked(request, why, fault=fault))
            raise

    def _step(self) -> bool:
        """Count a turn; true when it is one too many."""
        self.steps += 1
        if self.steps <= self._body.max_steps:
            return False
        self._recording.add_limit(f"step {self.steps}, at most {self._body.max_steps} (`runtime.max_steps`)")
        return True


def _list_forbidden(scenario: Scenario, body: Task) -> tuple[str, ...]:
    """Return the tools that must not be tried: the scenario's own list, and what `forbidden_tool` checks."""
    checked = (tool for spec in scenario.evaluators for tool in getattr(spec.config, "tools", ()))
    return tuple(dict.fromkeys((*body.tools_forbidden, *checked)))


def _blocked(request: CallRequest, why: str, *, fault: ToolFault | None = None) -> CallOutcome:
    return CallOutcome(name=request.name, error=why, fault=fault.mode if fault else None)
