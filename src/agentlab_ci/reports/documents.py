"""What to say of a JSON file of ours that is not what it should be: anybody may have written it."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.redact import cut

_NAMED_PROBLEMS = 10
_LONGEST_PROBLEM = 200
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file: its `name`, as in `not … of agentlab`, and what it holds, as in `… of version 2`."""

    name: str
    content: str

    def describe(self, error: ValidationError) -> str:
        """Say what is wrong with a file: its version, else every place that is not as it should be."""
        details = error.errors(include_url=False, include_context=False)
        for detail in details:
            if detail["loc"] == ("version",) and detail["type"] == "literal_error":
                version = _short(repr(detail["input"]))
                return f"{self.content} of version {version}; this agentlab reads version 1"
        return self.join([f"{_place(detail['loc'])}{detail['msg']}" for detail in details])

    def join(self, problems: list[str]) -> str:
        """Say of a file what its problems are, in one line."""
        more = len(problems) - _NAMED_PROBLEMS
        shown = [_short(problem) for problem in problems[:_NAMED_PROBLEMS]]
        shown += [f"and {more} more"] if more > 0 else []
        return f"not {self.name} of agentlab: {'; '.join(shown)}"


def without_mark(text: bytes | str) -> bytes | str:
    """Return the text without the byte order mark that some editors write."""
    if isinstance(text, str):
        return text.removeprefix(_BYTE_ORDER_MARK)
    return text.removeprefix(_BYTE_ORDER_MARK.encode())


def _place(loc: tuple[Any, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")
    return f"{path}: " if path else ""


def _short(problem: str) -> str:
    """Return untrusted words as one line of bearable length."""
    return printable(cut(problem, _LONGEST_PROBLEM))
