"""From what came back over HTTP to JSON and to a reply, or to the reason why there is none. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from agentlab_ci.agents.http_advice import HttpAdvice
from agentlab_ci.agents.http_body import UnreadableBodyError, decode_body, read_text
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply
from agentlab_ci.agents.json_path import MissingValueError, find_value, name_kind
from agentlab_ci.core.config import HttpAgent, UsageFields
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import Usage
from agentlab_ci.core.url import safe_url

SHOWN_BYTES = 64 << 10
"""How much of a body goes with an error, and how much of an error's body is read."""
LONGEST_SECRET = 16 << 10
"""Characters of a secret as it may stand in a body: 5 KB of text, URL-encoded."""
CUT_MARK = " … [the rest was left out]"

_BUSY = {429, 503}
_REDRAWABLE = {502, 504}
_MOST = 1 << 53
"""No count or cost is so large; JSON numbers are exact below it."""
_SECONDS = re.compile(r"\d+(\.\d+)?", re.ASCII)
_EVENTS = re.compile(r"\ufeff?\s*(data|event|id|retry)?:")
"""How a stream of server-sent events begins: with a field, or with a comment."""
_CHECK = "check `response_field`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer as it came: `body` is still encoded, and cut just above the cap where it was longer.

    `where` names the request in messages. Keys of `headers` are looked up in any case. `mask` takes the secrets
    out of a text, `advice` says in the provider's words what to check.
    """

    where: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_ms: float
    mask: Callable[[str], str]
    advice: HttpAdvice

    @property
    def encoding(self) -> str:
        """The body's Content-Encoding, empty for none."""
        return self.headers.get("Content-Encoding", "")

    def show(self, body: bytes, *, whole: bool = True) -> str:
        """Return what goes with an error of the decoded body; `whole` is false where its end is missing.

        Half a secret at a cut would not be found any more: a text with a cut is masked here, and then loses as
        much of its end as a secret can be long.
        """
        text = body[:SHOWN_BYTES].decode(errors="replace")
        if whole and len(body) <= SHOWN_BYTES:
            return text
        return self.mask(text)[:-LONGEST_SECRET] + CUT_MARK


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonBody:
    """What a 2xx answer holds: its JSON, the decoded bytes, and a note on what was put right in them."""

    answer: Answer
    raw: bytes
    data: Any
    note: str | None

    def refuse(
        self, message: str, *, reason: TerminationReason = TerminationReason.INVALID_RESPONSE_FORMAT
    ) -> AgentFailedError:
        """Return the failure of an answer whose JSON holds no reply."""
        return _unusable(self.answer, self.raw, message, reason=reason)


def read_json(answer: Answer, *, cap: int, now: datetime) -> JsonBody:
    """Return the JSON that a 2xx answer of at most `cap` bytes holds.

    Raises AgentBusyError for 429 and 503, with Retry-After counted from `now`, and AgentFailedError for everything
    else.
    """
    if not 200 <= answer.status < 300:
        raise _refusal(answer, now)
    body = _decode(answer, cap)
    text, note = read_text(body)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        message = f"the reply is {_name_text(text)}; check {answer.advice.address}"
        raise _unusable(answer, body, message) from None
    return JsonBody(answer=answer, raw=body, data=data, note=note)


def read_reply(answer: Answer, *, config: HttpAgent, cap: int, now: datetime) -> Reply:
    """Return the reply that stands at the config's `response_field`. Raises what `read_json` raises."""
    body = read_json(answer, cap=cap, now=now)
    try:
        reply = find_value(body.data, config.response_field)
    except MissingValueError as problem:
        raise body.refuse(f"the reply has no `{config.response_field}`: {problem}; {_CHECK}") from None
    if not isinstance(reply, str):
        raise body.refuse(f"`{config.response_field}` in the reply is {name_kind(reply)}, not text; {_CHECK}")
    usage = read_usage(body.data, config.usage_fields)
    return Reply(text=reply, latency_ms=answer.latency_ms, usage=usage, note=body.note)


def read_usage(data: object, fields: UsageFields) -> Usage:
    """Return the usage figures that the reply's JSON holds; whatever is no sensible number is unknown."""
    cost = _find_number(data, fields.cost_usd)
    return Usage(
        input_tokens=_as_count(_find_number(data, fields.input_tokens)),
        output_tokens=_as_count(_find_number(data, fields.output_tokens)),
        cost_usd=None if cost is None else float(cost),
    )


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, by number or date; None if it says nothing."""
    if value is None:
        return None
    if _SECONDS.fullmatch(value.strip()):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())


def _refusal(answer: Answer, now: datetime) -> AgentBusyError | AgentFailedError:
    try:
        body, whole = decode_body(answer.body, answer.encoding, limit=SHOWN_BYTES + 1)
        shown = answer.show(body, whole=whole)
    except UnreadableBodyError:
        shown = answer.show(answer.body)
    if answer.status in _BUSY:
        retry_after = read_retry_after(answer.headers.get("Retry-After"), now)
        return AgentBusyError(status=answer.status, retry_after=retry_after, body=shown)
    return AgentFailedError(
        f"{answer.where} answered HTTP {answer.status}: {_hint_at(answer)}",
        reason=TerminationReason.HTTP_ERROR,
        status=answer.status,
        body=shown,
        redrawable=answer.status in _REDRAWABLE,
    )


def _hint_at(answer: Answer) -> str:
    if 300 <= answer.status < 400:
        return f"redirects are not followed; set {answer.advice.address} to where it points{_name_target(answer)}"
    return answer.advice.statuses.get(answer.status, answer.advice.otherwise)


def _name_target(answer: Answer) -> str:
    location = answer.headers.get("Location", "")
    try:
        target = safe_url(location) if urlsplit(location).netloc else urlsplit(location).path
    except ValueError:
        return ""
    return f" ({target})" if target else ""


def _decode(answer: Answer, cap: int) -> bytes:
    try:
        body, whole = decode_body(answer.body, answer.encoding, limit=cap + 1)
    except UnreadableBodyError as problem:
        cannot = f"the reply cannot be read: {problem}"
        raise _unusable(answer, answer.body, cannot, whole=len(answer.body) <= cap) from None
    if len(body) > cap or len(answer.body) > cap:
        raise _unusable(answer, body, f"the reply is longer than {cap} bytes (`max_reply_bytes`)", whole=False)
    if not whole:
        raise _unusable(answer, body, f"the reply's {answer.encoding} data ends too early", whole=False)
    return body


def _name_text(text: str) -> str:
    if not text.strip():
        return "empty, not JSON"
    if _EVENTS.match(text):
        return "a stream of events, not JSON: the server streams what is to come in one piece"
    return "HTML, not JSON" if text.lstrip().startswith("<") else "not JSON"


def _find_number(data: object, path: str | None) -> int | float | None:
    if path is None:
        return None
    try:
        value = find_value(data, path)
    except MissingValueError:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < _MOST else None


def _as_count(number: float | None) -> int | None:
    return int(number) if number is not None and number == int(number) else None


def _unusable(
    answer: Answer,
    body: bytes,
    message: str,
    *,
    whole: bool = True,
    reason: TerminationReason = TerminationReason.INVALID_RESPONSE_FORMAT,
) -> AgentFailedError:
    return AgentFailedError(
        f"{answer.where}: {message}",
        reason=reason,
        status=answer.status,
        body=answer.show(body, whole=whole),
    )
