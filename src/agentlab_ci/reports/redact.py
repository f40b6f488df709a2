"""Secrets masked, then long text cut, in everything that leaves the run: files, database, comment, log."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from itertools import chain
from types import NoneType
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel

from agentlab_ci.core.results import AgentIdentity, ImportedRun, SampleResult, ScenarioFacts, VariantIdentity
from agentlab_ci.core.trace import Evaluation, SampleError, TraceEvent
from agentlab_ci.errors import BadInputError, InvalidFilesError
from agentlab_ci.reports.escape import without_colours

MASK = "***"
SHORTEST_SECRET = 6
"""Characters; a shorter value would mask ordinary words."""
TEXT_LIMIT = 64 << 10
"""Bytes of any one text that are kept."""
BODY_LIMIT = 2 << 10
"""Bytes of the body of a failed request that are kept."""
LEFT_OUT = "[too large to be kept; this is how it begins]"
"""The one key of an object that was too large."""
_LONGEST_FORM = 16 << 10
"""Characters that a secret may have in JSON; so much is looked at beyond what is kept."""
DEEPEST = 64
"""Levels of lists and objects in a tool call that are kept; the rest cannot be written as JSON everywhere."""

_IDS: dict[type[BaseModel], frozenset[str]] = {
    ScenarioFacts: frozenset({"scenario_id", "suite", "tags", "file", "hash"}),
    AgentIdentity: frozenset({"name"}),
    VariantIdentity: frozenset({"variant_set_name", "variant_label", "config_hash"}),
    ImportedRun: frozenset({"tool", "run_id", "status"}),
    SampleResult: frozenset({"scenario_id", "run_id", "started_at"}),
    Evaluation: frozenset({"id", "type"}),
}
"""What other things are found by; masked, rows would be lost and links lead nowhere."""
_WITHOUT_TEXT = (Enum, int, float, NoneType)
_NOTHING = ()
"""There is one empty tuple only."""
_PLAIN_TYPES = frozenset({int, float, bool, NoneType})
"""The same, where a look at the type is enough; most fields are of these."""
_PERCENT = re.compile(r"%[0-9A-F]{2}")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

RecordT = TypeVar("RecordT", bound=BaseModel)


class Redactor:
    """Masks secrets in any text.

    `secrets` are the values themselves; each is found as it is, URL-encoded, in base64 and inside JSON, and so is
    each of its lines, which may come one by one. Values shorter than `SHORTEST_SECRET` are left alone.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        values = {value.strip() for secret in secrets for value in (secret, *secret.splitlines())}
        forms = {form for value in values if len(value) >= SHORTEST_SECRET for form in _forms(value)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, self._forms))) if forms else None

    def text(self, text: str) -> str:
        """Return text without secrets, and without lone surrogates, which no file or database takes."""
        if self._pattern is not None:
            text = self._pattern.sub(MASK, text)
            # A colour within a secret is dropped later, where the text is shown.
            if "\x1b" in text and self._pattern.search(without_colours(text)):
                text = self._pattern.sub(MASK, without_colours(text))
        return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)

    @contextmanager
    def masking_errors(self) -> Iterator[None]:
        """Take the secrets out of what the block raises for the user."""
        try:
            yield
        except InvalidFilesError as invalid:
            masked = (
                replace(problem, where=self.text(problem.where), message=self.text(problem.message))
                for problem in invalid.problems
            )
            raise InvalidFilesError(masked) from None
        except BadInputError as problem:
            raise BadInputError(self.text(str(problem))) from None

    def sample(self, sample: SampleResult) -> SampleResult:
        """Return the sample with every free text masked and then cut; ids and statuses stay as they are."""
        return self._record(sample)

    def facts(self, facts: ScenarioFacts) -> ScenarioFacts:
        """Return what is known of a scenario, its name and other texts from YAML masked in the same way."""
        return self._record(facts)

    def imported(self, run: ImportedRun) -> ImportedRun:
        """Return what another tool says of its run, masked in the same way."""
        return self._record(run)

    def _record(self, record: RecordT) -> RecordT:
        if isinstance(record, TraceEvent) and record.text is None and not record.model_extra:
            return record  # half of all records
        changed = {}
        ids = _IDS.get(type(record), frozenset())
        extra = record.model_extra
        for name, value in chain(vars(record).items(), extra.items() if extra else ()):
            if type(value) in _PLAIN_TYPES or value is _NOTHING or isinstance(value, Enum) or name in ids:
                continue
            masked = self._value(value)
            if masked is not value:
                changed[name] = masked
        if isinstance(record, SampleError) and record.body is not None:
            changed["body"] = self._free_text(record.body, BODY_LIMIT)
        return record.model_copy(update=changed) if changed else record

    def _value(self, value: Any, depth: int = 0) -> Any:
        if type(value) is str:
            masked = self._free_text(value, TEXT_LIMIT)
            return value if masked == value else masked
        if isinstance(value, _WITHOUT_TEXT):
            return value
        if isinstance(value, BaseModel):
            return self._record(value)
        if isinstance(value, Mapping | list | tuple):
            if depth == 0 and not isinstance(value, tuple) and _is_large(value):
                return self._excerpt(value)
            return self._nested(value, depth + 1)
        return value

    def _excerpt(self, value: Mapping[Any, Any] | list[Any]) -> Any:
        """Return the beginning of the JSON of what is too large to be kept, in an object if it was one."""
        written, size = [], 0
        for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
            written.append(piece)
            size += len(piece)
            if size > TEXT_LIMIT + _LONGEST_FORM:
                break
        text = cut(self._free_text("".join(written), TEXT_LIMIT), TEXT_LIMIT)
        return {LEFT_OUT: text} if isinstance(value, Mapping) else text

    def _free_text(self, text: str, limit: int) -> str:
        masked = self.text(text)
        # A text as long as this may have been cut before it came here, in the middle of a secret.
        if len(text) * 4 >= TEXT_LIMIT and len(text.encode("utf-8", "surrogatepass")) >= TEXT_LIMIT:
            masked = self._without_half_a_secret(masked)
        return cut(masked, limit)

    def _without_half_a_secret(self, text: str) -> str:
        whole_characters = text.rstrip("\ufffd")
        halves = (
            size
            for form in self._forms
            for size in range(len(form) - 1, 0, -1)
            if whole_characters.endswith(form[:size])
        )
        half = max(halves, default=0)
        return whole_characters[:-half] if half else text

    def _nested(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> Any:
        if depth > DEEPEST:
            return f"[nested deeper than {DEEPEST} levels: left out]"
        if isinstance(value, Mapping):
            return {self._value(key): self._value(item, depth) for key, item in value.items()}
        items = [self._value(item, depth) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return type(value)(items)


def _is_large(value: object) -> bool:
    """Tell whether the JSON of some data is longer than any text that is kept, without writing it."""
    room, left = TEXT_LIMIT, [value]
    while left and room >= 0:
        item = left.pop()
        if isinstance(item, str):
            room -= len(item)
        elif isinstance(item, Mapping | list | tuple):
            room -= 4 * len(item)
            if room >= 0:
                left.extend(item.values() if isinstance(item, Mapping) else item)
                left.extend(item if isinstance(item, Mapping) else ())
    return room < 0


def cut(text: str, limit: int) -> str:
    """Cut text to `limit` bytes of UTF-8, the mark that says how much is missing included; idempotent."""
    if len(text) * 4 <= limit:
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= limit:
        return text
    widest = len(_cut_mark(len(encoded)).encode())
    kept = encoded[: max(0, limit - widest)].decode("utf-8", "ignore")
    return kept + _cut_mark(len(encoded) - len(kept.encode()))


def _cut_mark(missing: int) -> str:
    return f" … [{missing} more bytes left out]"


def _forms(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    yield repr(secret)[1:-1]
    for quoted in (quote(raw), quote(raw, safe=""), quote_plus(raw)):
        yield quoted
        yield _PERCENT.sub(lambda match: match[0].lower(), quoted)
    for ensure_ascii in (True, False):
        escaped = json.dumps(secret, ensure_ascii=ensure_ascii)[1:-1]
        yield escaped
        yield escaped.replace("/", r"\/")
    for encoded in _base64_forms(raw):
        yield encoded
        yield encoded.translate(str.maketrans("+/", "-_"))


def _base64_forms(secret: bytes) -> Iterator[str]:
    alone = base64.b64encode(secret).decode()
    yield alone
    yield alone.rstrip("=")
    for offset in range(3):
        # Base64 writes 6 bits a character; those wholly inside the secret are the same whatever stands around it.
        encoded = base64.b64encode(bytes(offset) + secret + bytes(2)).decode()
        yield encoded[-(-8 * offset // 6) : 8 * (offset + len(secret)) // 6]
