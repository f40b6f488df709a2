"""results.json: written for other tools, and read back to render and gate again."""

import json
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sampling import MAX_SAMPLES
from agentlab_ci.errors import BadInputError

_NAMED_PROBLEMS = 10


def render_json(report: RunReport) -> bytes:
    """Render results.json in UTF-8, its keys and scenarios always in the same order."""
    try:
        return to_json(report, indent=1)
    except PydanticSerializationError:
        # A lone surrogate, which only JSON's own escapes can write.
        return json.dumps(report.model_dump(mode="json"), indent=1, ensure_ascii=True).encode()


def read_results(text: bytes | str) -> RunReport:
    """Read results.json, keys that this version does not know included.

    Raises BadInputError that names every place where it is not what it should be.
    """
    try:
        report = RunReport.model_validate_json(text)
    except ValidationError as error:
        raise BadInputError(_describe(error)) from None
    problems = _find_contradictions(report)
    if problems:
        raise BadInputError(_join(problems))
    return report


def _find_contradictions(report: RunReport) -> list[str]:
    problems = [] if "version" in report.model_fields_set else ["it has no version"]
    seen = set()
    for index, row in enumerate(report.scenarios):
        where = f"scenarios[{index}]"
        if row.key in seen:
            problems.append(f"{where}: {row.title} is there twice")
        seen.add(row.key)
        if not 1 <= row.samples_wanted <= MAX_SAMPLES:
            problems.append(f"{where}.samples_wanted: not between 1 and {MAX_SAMPLES}")
        numbers = [sample.sample for sample in row.samples]
        if len(set(numbers)) < len(numbers) or any(not 1 <= number <= row.samples_wanted for number in numbers):
            problems.append(f"{where}.samples: not numbered from 1 to {row.samples_wanted}, each once")
    return problems


def _describe(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False)
    for detail in details:
        if detail["loc"] == ("version",) and detail["type"] == "literal_error":
            return f"results of version {detail['input']!r}; this agentlab reads version 1"
    return _join([f"{_place(detail['loc'])}{detail['msg']}" for detail in details])


def _place(loc: tuple[Any, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")
    return f"{path}: " if path else ""


def _join(problems: list[str]) -> str:
    more = len(problems) - _NAMED_PROBLEMS
    shown = problems[:_NAMED_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])
    return "not the results.json of agentlab: " + "; ".join(shown)
