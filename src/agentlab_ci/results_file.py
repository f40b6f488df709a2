"""Results that a run has left as a file."""

from pathlib import Path

from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import read_results


def read_results_file(cwd: Path, file: str) -> RunReport:
    """Read a results.json, its path as the user gave it, as it stands: nothing says that its verdicts are right.

    Raises BadInputError when it cannot be read, or is something else.
    """
    path = cwd / file
    try:
        if path.exists() and not path.is_file():
            raise BadInputError(f"cannot read {file}: it is not a file")
        content = path.read_bytes()
    except OSError as problem:
        raise BadInputError(f"cannot read {file}: {problem.strerror}") from problem
    return read_results_of(content, shown=file)


def read_results_of(content: bytes, *, shown: str) -> RunReport:
    """Read the content of a results.json that messages call `shown`. Raises BadInputError."""
    try:
        return read_results(content)
    except BadInputError as problem:
        raise BadInputError(f"{shown}: {problem}") from problem
