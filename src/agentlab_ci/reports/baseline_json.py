"""The baseline file: one line for each scenario, so that its diff can be reviewed."""

import json
from collections.abc import Iterator

from pydantic import ValidationError

from agentlab_ci.core.baseline import BaselineFile
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.documents import Kind, without_mark

_KIND = Kind(name="a baseline", content="a baseline")


def render_baseline(baseline: BaselineFile) -> bytes:
    """Render the file, a scenario a line. All of it is ASCII: in a review nothing can look like something else."""
    lines = ",\n".join(f"  {json.dumps(line.model_dump(mode='json'))}" for line in baseline.scenarios)
    return f'{{\n "version": {baseline.version},\n "scenarios": [\n{lines}\n ]\n}}\n'.encode()


def read_baseline(content: bytes) -> BaselineFile:
    """Read the file, a byte order mark forgiven.

    Raises BadInputError that names every place where it is not what it should be; unknown keys are errors.
    """
    try:
        baseline = BaselineFile.model_validate_json(without_mark(content), extra="forbid")
    except ValidationError as error:
        raise BadInputError(_KIND.describe(error)) from None
    problems = list(_find_contradictions(baseline))
    if problems:
        raise BadInputError(_KIND.join(problems))
    return baseline


def _find_contradictions(baseline: BaselineFile) -> Iterator[str]:
    seen = set()
    for index, line in enumerate(baseline.scenarios):
        where = f"scenarios[{index}]"
        if line.key in seen:
            yield f"{where}: {line.scenario_id!r} is there twice"
        seen.add(line.key)
        if not max(line.passed, line.needed) <= line.samples:
            yield f"{where}: {line.passed} passed, {line.needed} needed, of {line.samples} samples"
        elif (line.passed >= line.needed) is not (line.verdict == "passed"):
            yield f"{where}.verdict: {line.verdict}, with {line.passed} passed and {line.needed} needed"
