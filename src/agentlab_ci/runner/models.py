"""Asking a model of a simulation, whatever it takes; what goes wrong there is never the agent's doing."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from agentlab_ci.agents.interface import AgentFailedError, ChatModel, NoMessageError
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Simulation
from agentlab_ci.core.trace import Turn, Usage
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.runner.interface import Asker, ModelFailedError
from agentlab_ci.runner.patience import choose_pause
from agentlab_ci.simulation.judge import (
    JUDGE_SCHEMA,
    Judgement,
    ask_judge_again,
    build_judge_messages,
    read_judgement,
)
from agentlab_ci.simulation.reply import UnusableReplyError

_LONGEST_QUOTE = 8_000
"""Characters of a useless reply that the model is shown again."""
_NOTHING = "[empty]"
"""Shown for a reply without text: servers refuse an empty message, and some two of one role in a row."""

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


def refuse_outage(asker: Asker, name: str, failure: TerminationReason) -> None:
    """Raise ModelFailedError for a model that is not asked any more in this run."""
    why = asker.outages.why_down(name)
    if why is not None:
        raise ModelFailedError(why, reason=failure)


async def ask_model(asker: Asker, part: Part[AnswerT], messages: Sequence[Mapping[str, str]]) -> AnswerT:
    """Return what the model answers; a useless reply is held out to it once.

    A busy model is waited for, and a request whose connection failed is sent again, as often as a sample may be
    drawn again: the sample itself goes on. Raises ModelFailedError.
    """
    said = await _complete(asker, part, messages)
    try:
        return part.read(said)
    except UnusableReplyError as problem:
        quote = {"role": "assistant", "content": said[:_LONGEST_QUOTE].strip() or _NOTHING}
        said = await _complete(asker, part, [*messages, quote, part.ask_again(problem.why)])
    try:
        return part.read(said)
    except UnusableReplyError as problem:
        message = f"the {part.name} is of no use: its reply {problem.why}, after it was asked again"
        raise ModelFailedError(message, reason=part.failure, body=said, answered=True) from None


async def ask_judge(
    asker: Asker, model: ChatModel, body: Simulation, turns: Sequence[Turn], *, usages: list[Usage]
) -> Judgement:
    """Return what the judge makes of a conversation, whose tags end as no author can foresee.

    What it uses is added to `usages`. Raises ModelFailedError.
    """
    part = Part(
        name=JUDGE,
        model=model,
        failure=TerminationReason.JUDGE_ERROR,
        schema=JUDGE_SCHEMA,
        read=read_judgement,
        ask_again=ask_judge_again,
        usages=usages,
    )
    return await ask_model(asker, part, build_judge_messages(body, turns, boundary=uuid.uuid4().hex))


async def _complete(asker: Asker, part: Part[AnswerT], messages: Sequence[Mapping[str, str]]) -> str:
    failed = 0
    while True:
        try:
            complete = partial(part.model.complete, messages, schema=part.schema)
            reply = await asker.patiently(complete, model=part.name)
        except NoMessageError as nothing:
            if nothing.refused:
                asker.outages.note_answer(part.name)
            else:
                asker.outages.note_failure(part.name, nothing.message)
            part.usages.append(nothing.usage)
            message = f"the {part.name} gave no answer: {nothing.message}"
            raise ModelFailedError(message, reason=part.failure, body=nothing.body, answered=True) from nothing
        except AgentFailedError as failure:
            if not failure.redrawable or failed >= asker.error_retries:
                asker.outages.note_failure(part.name, failure.message)
                message = f"the {part.name} gave no answer: {failure.message}"
                raise ModelFailedError(message, reason=part.failure, body=failure.body) from failure
            await asyncio.sleep(choose_pause(failed))
            failed += 1
        else:
            asker.outages.note_answer(part.name)
            part.usages.append(reply.usage)
            return reply.text
