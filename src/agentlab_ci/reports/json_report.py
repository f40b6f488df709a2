"""results.json: written for other tools, and read back to render and gate again."""

import io
import json
from collections.abc import Iterator

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.sampling import MAX_SAMPLES
from agentlab_ci.core.trace import Record
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.documents import Kind, without_mark

_KIND = Kind(name="the results.json", content="results")
_NO_SCENARIOS = b'\n "scenarios": []'
"""How an empty list is written at the top level; in texts a line end is an escape, so nothing else is like it."""


def render_json(report: RunReport) -> bytes:
    """Render results.json in UTF-8, its keys and scenarios always in the same order.

    Scenario by scenario: the whole in one go takes twice its size in memory.
    """
    if not report.scenarios:
        return _to_json(report)
    head, tail = _to_json(report.model_copy(update={"scenarios": ()})).split(_NO_SCENARIOS)
    document = io.BytesIO()
    document.write(head + _NO_SCENARIOS[:-1])
    for index, row in enumerate(report.scenarios):
        document.write(b",\n  " if index else b"\n  ")
        document.write(_to_json(row).replace(b"\n", b"\n  "))
    document.write(b"\n ]" + tail)
    return document.getvalue()


def read_results(text: bytes | str) -> RunReport:
    """Read results.json, keys that this version does not know included, and a byte order mark forgiven.

    Raises BadInputError that names every place where it is not what it should be.
    """
    try:
        report = RunReport.model_validate_json(without_mark(text))
    except ValidationError as error:
        raise BadInputError(_KIND.describe(error)) from None
    problems = list(_find_contradictions(report))
    if problems:
        raise BadInputError(_KIND.join(problems))
    return report


def _to_json(record: Record) -> bytes:
    try:
        return to_json(record, indent=1)
    except PydanticSerializationError:
        # A lone surrogate, which only JSON's own escapes can write.
        return json.dumps(record.model_dump(), indent=1, ensure_ascii=True).encode()


def _find_contradictions(report: RunReport) -> Iterator[str]:
    if "version" not in report.model_fields_set:
        yield "it has no version"
    seen = set()
    for index, row in enumerate(report.scenarios):
        where = f"scenarios[{index}]"
        if row.key in seen:
            yield f"{where}: {row.title!r} is there twice"
        seen.add(row.key)
        if not 1 <= row.samples_wanted <= MAX_SAMPLES:
            yield f"{where}.samples_wanted: not between 1 and {MAX_SAMPLES}"
        if row.skipped is not None and row.samples:
            yield f"{where}: skipped, and yet it has samples"
        yield from (f"{where}.samples{problem}" for problem in _find_strays(row))


def _find_strays(row: ScenarioResult) -> Iterator[str]:
    """Name the samples that cannot be this scenario's."""
    numbers = [sample.sample for sample in row.samples]
    if len(set(numbers)) < len(numbers) or any(number > row.samples_wanted for number in numbers):
        yield f": not numbered from 1 to {row.samples_wanted}, each once"
    for index, sample in enumerate(row.samples):
        if sample.scenario_id != row.scenario_id:
            yield f"[{index}].scenario_id: {sample.scenario_id!r}, in {row.scenario_id!r}"
        if sample.of != row.samples_wanted:
            yield f"[{index}].of: {sample.of}, and the scenario's samples_wanted is {row.samples_wanted}"
