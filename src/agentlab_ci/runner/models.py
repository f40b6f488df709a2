"""Asking a model of a simulation, whatever it takes; what goes wrong there is never the agent's doing."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from agentlab_ci.agents.interface import AgentFailedError, ChatModel
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Usage
from agentlab_ci.runner.interface import Draw, ModelFailedError
from agentlab_ci.runner.patience import choose_pause
from agentlab_ci.simulation.reply import UnusableReplyError

LONGEST_QUOTE = 8_000
"""Characters of a useless reply that the model is shown again."""

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[AnswerT]):
    """The part that a model has: what it is held to, and how its replies are read.

    `read` raises UnusableReplyError; `ask_again` makes the message that asks once more. What the model uses is
    added to `usages`.
    """

    name: str
    model: ChatModel
    failure: TerminationReason
    schema: Mapping[str, Any]
    read: Callable[[str], AnswerT]
    ask_again: Callable[[str], dict[str, str]]
    usages: list[Usage]


def refuse_outage(draw: Draw, name: str, failure: TerminationReason) -> None:
    """Raise ModelFailedError for a model that is not asked any more in this run."""
    why = draw.outages.why_down(name)
    if why is not None:
        raise ModelFailedError(why, reason=failure)


async def ask_model(draw: Draw, part: Part[AnswerT], messages: Sequence[Mapping[str, str]]) -> AnswerT:
    """Return what the model answers; a useless reply is held out to it once.

    A busy model is waited for, and a request whose connection failed is sent again, as often as a sample may be
    drawn again: the sample itself goes on. Raises ModelFailedError.
    """
    said = await _complete(draw, part, messages)
    try:
        return part.read(said)
    except UnusableReplyError as problem:
        quote = {"role": "assistant", "content": said[:LONGEST_QUOTE]}
        said = await _complete(draw, part, [*messages, quote, part.ask_again(problem.why)])
    try:
        return part.read(said)
    except UnusableReplyError as problem:
        message = f"the {part.name} is of no use: its reply {problem.why}, after it was asked again"
        raise ModelFailedError(message, reason=part.failure, body=said) from None


async def _complete(draw: Draw, part: Part[AnswerT], messages: Sequence[Mapping[str, str]]) -> str:
    failed = 0
    while True:
        try:
            complete = partial(part.model.complete, messages, schema=part.schema)
            reply = await draw.patiently(complete, model=part.name)
        except AgentFailedError as failure:
            if not failure.redrawable or failed >= draw.error_retries:
                draw.outages.note_failure(part.name, failure.message)
                message = f"the {part.name} gave no answer: {failure.message}"
                raise ModelFailedError(message, reason=part.failure, body=failure.body) from failure
            await asyncio.sleep(choose_pause(failed))
            failed += 1
        else:
            draw.outages.note_answer(part.name)
            part.usages.append(reply.usage)
            return reply.text
