"""Checks of the sample's last words."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from agentlab_ci.core.model import Model, Name, Text
from agentlab_ci.evaluators.interface import EvaluatorKind, Evidence, Finding, Position, quote

_Texts = Annotated[tuple[Name, ...], Field(min_length=1)]


class RequiredSubstrings(Model):
    """`required_substrings` or `keywords`: texts that the final answer must hold."""

    required_substrings: _Texts | None = None
    keywords: _Texts | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "RequiredSubstrings":
        if (self.required_substrings is None) == (self.keywords is None):
            raise ValueError("needs `required_substrings` (or `keywords`, the same thing), and only one of them")
        return self

    @property
    def wanted(self) -> tuple[str, ...]:
        """The texts, whichever key they came under."""
        return self.required_substrings or self.keywords or ()


class Expected(Model):
    """`expected`: the whole answer."""

    expected: Text


def _judge_contains(config: RequiredSubstrings, evidence: Evidence) -> Finding:
    answer = _collapse(evidence.output)
    missing = [item for item in config.wanted if _collapse(item) not in answer]
    if missing:
        return Finding(passed=False, message=f"final answer does not contain {quote(missing)}")
    return Finding(passed=True, message=f"final answer contains {quote(config.wanted)}")


def _judge_exact(config: Expected, evidence: Evidence) -> Finding:
    if evidence.output.strip() == config.expected.strip():
        return Finding(passed=True, message="final answer is as expected")
    return Finding(passed=False, message=f"final answer is not {quote([config.expected.strip()])}")


def _collapse(text: str) -> str:
    return " ".join(text.casefold().split())


_END = frozenset({Position.END})

KINDS: tuple[EvaluatorKind[Any], ...] = (
    EvaluatorKind(
        name="final_answer_contains",
        positions=_END,
        config=RequiredSubstrings,
        passes_when="every text appears in the final answer, in any case, white space collapsed",
        judge=_judge_contains,
    ),
    EvaluatorKind(
        name="exact_final_answer",
        positions=_END,
        config=Expected,
        passes_when="the final answer equals `expected`, both trimmed",
        judge=_judge_exact,
    ),
)
