"""What a chat completion says: text, calls of tools, and what it cost. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentlab_ci.agents.http_reply import Answer, JsonBody, read_json, read_usage
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError
from agentlab_ci.agents.json_path import MissingValueError, find_value, name_kind
from agentlab_ci.agents.openai_calls import ModelCall, read_calls
from agentlab_ci.agents.turn_parts import MalformedError
from agentlab_ci.core.config import Price, UsageFields
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Usage

LONGEST_QUOTE = 500
"""Characters of a server's error in a message; all of it goes with the failure."""

_USAGE = UsageFields(
    input_tokens="usage.prompt_tokens", output_tokens="usage.completion_tokens", cost_usd="usage.cost"
)
_NO_CREDIT = {"insufficient_quota", "billing_not_active"}
"""What OpenAI answers with 429 and no wait can mend."""
_ENDINGS = {
    "length": "cut short at the model's token limit (`finish_reason: length`)",
    "content_filter": "cut short by the provider's content filter (`finish_reason: content_filter`)",
}
_REFUSED = "the model refused (`refusal`)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The model's message: its text, empty for none, and its calls in order.

    `message` is the whole as it came, to be sent back: some servers want to see again what they put into it.
    `cut` says what ended it before the model did; `refused` that the text is the model's refusal to answer.
    """

    text: str
    calls: tuple[ModelCall, ...]
    message: Mapping[str, Any]
    usage: Usage
    latency_ms: float
    note: str | None
    cut: str | None
    refused: bool = False


def read_completion(
    answer: Answer, *, functions: Mapping[str, str], turn: int, price: Price | None, cap: int, now: datetime
) -> Completion:
    """Return the completion that an answer of at most `cap` bytes holds.

    `functions` are the tools by their names for the model; a name that is not among them stays as it is. `turn`
    tells the ids apart that are made for calls without one. Raises AgentBusyError and AgentFailedError as
    `read_json` does, and the latter also for a busy server where waiting would not help.
    """
    body = _read_body(answer, cap=cap, now=now)
    choice, message = _find_message(body)
    text, refused = _read_text(message, body)
    try:
        calls = read_calls(message, functions=functions, turn=turn)
    except MalformedError as problem:
        raise body.refuse(str(problem)) from None
    cut = _ENDINGS.get(str(choice.get("finish_reason")))
    notes = (body.note, _REFUSED if refused else None, cut)
    return Completion(
        text=text,
        calls=calls,
        message=_complete(message, calls),
        usage=_read_usage(body.data, price),
        latency_ms=answer.latency_ms,
        note="; ".join(note for note in notes if note) or None,
        cut=cut,
        refused=refused,
    )


def _read_body(answer: Answer, *, cap: int, now: datetime) -> JsonBody:
    try:
        return read_json(answer, cap=cap, now=now)
    except AgentBusyError as busy:
        error = _parse_error(busy.body)
        if not isinstance(error, dict) or not _NO_CREDIT & {str(error.get("code")), str(error.get("type"))}:
            raise
        raise AgentFailedError(
            f"{answer.where} answered HTTP {busy.status}, and waiting does not help: {_quote(error, answer)}",
            reason=TerminationReason.HTTP_ERROR,
            status=busy.status,
            body=busy.body,
            hopeless=True,
        ) from None


def _parse_error(text: str) -> object:
    try:
        return find_value(json.loads(text), "error")
    except (ValueError, RecursionError, MissingValueError):
        return None


def _quote(error: object, answer: Answer) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    text = said if isinstance(said, str) else name_kind(error)
    # Half a secret at the cut would not be found any more.
    return text if len(text) <= LONGEST_QUOTE else f"{answer.mask(text)[:LONGEST_QUOTE]}…"


def _find_message(body: JsonBody) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first choice and its message. An error that comes with status 200 is one."""
    error = next(_errors(body.data), None)
    if error is not None:
        said = _quote(error, body.answer)
        raise body.refuse(f"the reply is an error: {said}", reason=TerminationReason.AGENT_ERROR)
    try:
        choice = find_value(body.data, "choices.0")
        message = find_value(choice, "message")
    except MissingValueError as problem:
        check = f"check {body.answer.advice.address}"
        raise body.refuse(f"the reply has no `choices.0.message`: {problem}; {check}") from None
    if not isinstance(message, dict):
        raise body.refuse(f"`choices.0.message` in the reply is {name_kind(message)}, not an object")
    return choice, message


def _errors(data: object) -> Iterator[object]:
    for path in ("error", "choices.0.error"):
        try:
            error = find_value(data, path)
        except MissingValueError:
            continue
        if error:
            yield error


def _read_text(message: Mapping[str, Any], body: JsonBody) -> tuple[str, bool]:
    """Return what the model said, and whether all of it is a refusal; text may come in parts."""
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        texts, refusals = list(_texts(content, "text")), list(_texts(content, "refusal"))
        if refusals and not texts:
            return "".join(refusals), True
        content = "".join([*texts, *refusals])
    if content is not None and not isinstance(content, str):
        raise body.refuse(f"`choices.0.message.content` in the reply is {name_kind(content)}, not text")
    if not content and isinstance(refusal, str) and refusal:
        return refusal, True
    return content or "", False


def _texts(parts: Sequence[object], key: str) -> Iterator[str]:
    for part in parts:
        text = part.get(key) if isinstance(part, dict) else None
        if isinstance(text, str):
            yield text


def _complete(message: Mapping[str, Any], calls: Sequence[ModelCall]) -> dict[str, Any]:
    """Return the message with what some servers leave out and others ask for: its role, the ids of its calls."""
    whole = {"role": "assistant", **message}
    if calls:
        whole["tool_calls"] = [call.entry for call in calls]
    return whole


def _read_usage(data: object, price: Price | None) -> Usage:
    """Return the usage; its cost is by the price if there is one, else what the server says."""
    usage = read_usage(data, _USAGE)
    if price is None:
        return usage
    cost = None
    if usage.input_tokens is not None and usage.output_tokens is not None:
        millionths = usage.input_tokens * price.input_per_million + usage.output_tokens * price.output_per_million
        cost = millionths / 1_000_000
    return usage.model_copy(update={"cost_usd": cost})
