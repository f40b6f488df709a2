"""Checks of one reply, under a step of a conversation, or of every reply in a simulation."""

from typing import Annotated, Any

import regex
from pydantic import AfterValidator, Field, model_validator

from agentlab_ci.core.model import Model, Name, Number
from agentlab_ci.evaluators.interface import EvaluatorKind, Evidence, Finding, NotJudgedError, Position, quote

QUICK_SECONDS = 0.002
"""Most patterns end in a hundredth of this, so it costs less to try than to ask a thread."""
REGEX_SECONDS = 0.25
"""A pattern that takes longer on a reply backtracks without end: the sample is an error."""


class Keywords(Model):
    """`keywords`: texts to look for, in any case."""

    keywords: Annotated[tuple[Name, ...], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _hint_at_text(cls, data: object) -> object:
        if isinstance(data, dict) and "text" in data:
            raise ValueError("`text` is not a key: write `keywords: [...]`, a list of texts")
        return data


def _compiles(pattern: str) -> str:
    try:
        regex.compile(pattern)
    except regex.error as problem:
        raise ValueError(f"not a regular expression: {problem}") from None
    except RecursionError:
        raise ValueError("not a regular expression: nested too deep") from None
    return pattern


class Pattern(Model):
    """`pattern`: a regular expression of PyPI `regex`, searched in any case."""

    pattern: Annotated[Name, AfterValidator(_compiles)]


class Latency(Model):
    """`ms`: the longest time that a reply may take."""

    ms: Annotated[Number, Field(gt=0)]


def missing_from(text: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `wanted` that `text` does not hold, in any case."""
    folded = text.casefold()
    return tuple(item for item in wanted if item.casefold() not in folded)


def _judge_contains(config: Keywords, evidence: Evidence) -> Finding:
    missing = missing_from(evidence.output, config.keywords)
    if missing:
        return Finding(passed=False, message=f"reply does not contain {quote(missing)}")
    return Finding(passed=True, message=f"reply contains {quote(config.keywords)}")


def _judge_not_contains(config: Keywords, evidence: Evidence) -> Finding:
    absent = missing_from(evidence.output, config.keywords)
    found = tuple(item for item in config.keywords if item not in absent)
    if found:
        return Finding(passed=False, message=f"reply contains {quote(found)}")
    return Finding(passed=True, message=f"reply does not contain {quote(config.keywords)}")


def _searches_long(config: Pattern, evidence: Evidence) -> bool:
    try:
        _search(config.pattern, evidence.output, QUICK_SECONDS)
    except TimeoutError:
        return True
    return False


def _search(pattern: str, text: str, seconds: float) -> bool:
    # concurrent: other threads, the event loop's among them, go on while it searches.
    return regex.search(pattern, text, regex.IGNORECASE, concurrent=True, timeout=seconds) is not None


def _judge_regex(config: Pattern, evidence: Evidence) -> Finding:
    try:
        found = _search(config.pattern, evidence.output, REGEX_SECONDS)
    except TimeoutError:
        raise NotJudgedError(
            f"the pattern /{config.pattern}/ did not end within {REGEX_SECONDS} s on this reply; make it simpler"
        ) from None
    if not found:
        return Finding(passed=False, message=f"reply does not match /{config.pattern}/")
    return Finding(passed=True, message=f"reply matches /{config.pattern}/")


def _judge_latency(config: Latency, evidence: Evidence) -> Finding:
    took = evidence.latency_ms or 0.0
    reply = "slowest reply" if evidence.turns > 1 else "reply"
    return Finding(passed=took <= config.ms, message=f"{reply} took {took:.0f} ms, at most {config.ms:g} ms")


_STEP = frozenset({Position.STEP})

KINDS: tuple[EvaluatorKind[Any], ...] = (
    EvaluatorKind(
        name="response_contains",
        positions=_STEP,
        config=Keywords,
        passes_when="every keyword appears in the reply, in any case",
        judge=_judge_contains,
    ),
    EvaluatorKind(
        name="response_not_contains",
        positions=_STEP,
        config=Keywords,
        passes_when="no keyword appears in the reply, in any case",
        judge=_judge_not_contains,
    ),
    EvaluatorKind(
        name="response_matches_regex",
        positions=_STEP,
        config=Pattern,
        passes_when="the pattern is found in the reply, in any case",
        takes_long=_searches_long,
        judge=_judge_regex,
    ),
    EvaluatorKind(
        name="response_latency_max",
        positions=_STEP | {Position.SIMULATION_END},
        config=Latency,
        passes_when=(
            "the reply, in a simulation each reply, took at most `ms`, from the start of the answered request to "
            "its last byte"
        ),
        judge=_judge_latency,
    ),
)
