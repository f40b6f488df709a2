"""What an agent did in a sample, in the form in which two samples are compared."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentlab_ci.core.normalize import normalize
from agentlab_ci.core.results import Normalization, SampleResult
from agentlab_ci.core.text_diff import diff_lines
from agentlab_ci.core.trace import Role, ToolCall

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Lines of what was said, of the calls of tools with their input, and of the final output, normalised.

    `output` is empty where the last turn holds it already. How long things took is no part of it.
    """

    turns: tuple[str, ...]
    tool_calls: tuple[str, ...]
    output: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourDiff:
    """Lines as of `diff_lines`; none where the two are alike."""

    turns: tuple[str, ...] = ()
    tool_calls: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.turns or self.tool_calls or self.output)


def behaviour_of(sample: SampleResult, how: Normalization | None) -> Behaviour:
    """Return what the agent did. What it said is normalised, what the user said and the calls are not."""
    replies = [turn.text for turn in sample.turns if turn.role is Role.AGENT]
    output = sample.final_output
    return Behaviour(
        turns=tuple(_tell_turns(sample, how)),
        tool_calls=tuple(_tell_call(call) for call in sample.tool_calls),
        output=() if output is None or output in replies[-1:] else tuple(_lines(normalize(output, how))),
    )


def diff_behaviour(old: Behaviour, new: Behaviour) -> BehaviourDiff:
    """Return the lines in which they differ, each kind for itself."""
    return BehaviourDiff(
        turns=diff_lines(old.turns, new.turns),
        tool_calls=diff_lines(old.tool_calls, new.tool_calls),
        output=diff_lines(old.output, new.output),
    )


def _tell_turns(sample: SampleResult, how: Normalization | None) -> Iterator[str]:
    for turn in sample.turns:
        said = normalize(turn.text, how) if turn.role is Role.AGENT else turn.text
        if said or not sample.tool_calls:  # a turn that only calls tools says nothing
            first, *rest = _lines(said)
            yield f"{turn.role.value}: {first}"
            yield from (f"    {line}" for line in rest)


def _tell_call(call: ToolCall) -> str:
    # Keys in order, as the same call may be written in several ways.
    text = f"{call.name} {json.dumps(call.input, sort_keys=True, ensure_ascii=False, default=str)}"
    return text if call.error is None else f"{text} -> error: {call.error}"


def _lines(text: str) -> list[str]:
    return _LINE_END.split(text)
