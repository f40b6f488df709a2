"""Baseline files: what a run is held against is read, and what is approved is written."""

from pathlib import Path

from agentlab_ci.core.baseline import Baseline, BaselineFile
from agentlab_ci.core.compare_baseline import is_decided, make_baseline
from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.files import replace_file
from agentlab_ci.reports.baseline_json import read_baseline, render_baseline


def load_baseline(cwd: Path, file: str) -> Baseline:
    """Read a baseline file, its path as the user gave it; raises BadInputError when it cannot be read."""
    content = _read(cwd / file, shown=file)
    if content is None:
        raise BadInputError(
            f"there is no baseline {file}: `agentlab approve RESULTS.JSON --to {file}` makes one of results"
        )
    return Baseline(file=file, approved={line.key: line for line in _parse(content, shown=file).scenarios})


def write_baseline(report: RunReport, cwd: Path, file: str) -> BaselineFile:
    """Write what a batch came to into a baseline file, whole or not at all, and return what it holds now.

    Other lines of the file stay; scenarios that were not judged change nothing. Raises BadInputError when nothing
    was judged, when there is a file that is no baseline, and when it cannot be written.
    """
    content = _read(cwd / file, shown=file)
    earlier = None if content is None else _parse(content, shown=file)
    baseline = make_baseline(report, earlier)
    if not any(map(is_decided, report.scenarios)):
        raise BadInputError(f"{report.batch_id} holds no scenario that was judged: {file} is left as it is")
    try:
        (cwd / file).parent.mkdir(parents=True, exist_ok=True)
        replace_file(cwd / file, render_baseline(baseline))
    except OSError as problem:
        raise BadInputError(f"cannot write {file}: {problem.strerror}") from problem
    return baseline


def _read(path: Path, *, shown: str) -> bytes | None:
    """Return what the file holds, None when there is none."""
    try:
        if path.exists() and not path.is_file():
            raise BadInputError(f"cannot read {shown}: it is not a file")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise BadInputError(f"cannot read {shown}: {problem.strerror}") from problem


def _parse(content: bytes, *, shown: str) -> BaselineFile:
    try:
        return read_baseline(content)
    except BadInputError as problem:
        raise BadInputError(f"{shown}: {problem}") from problem
