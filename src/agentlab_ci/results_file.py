"""Results that a run has left as a file, or another tool of its own runs."""

import os
import select
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic_core import from_json

from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import RunReport, ScenarioFacts, SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import read_results
from agentlab_ci.reports.redact import Redactor

LONGEST = 1 << 30
"""Bytes of a results.json that is read; one of ten thousand samples has a tenth of them."""
STDIN = "-"
"""In place of a file's path: standard input."""
_TURN = 0.2
"""Seconds."""
_PIECE = 1 << 16
_LIVEKIT_SECRETS = ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "GITHUB_TOKEN", "GH_TOKEN")
"""The variables of a step that runs LiveKit's command."""


def read_results_file(cwd: Path, file: str) -> RunReport:
    """Read a results.json, its path as the user gave it, as it stands: nothing says that its verdicts are right.

    Raises BadInputError when it cannot be read, is longer than `LONGEST`, or is something else.
    """
    return read_results_of(_read(cwd, file, most=LONGEST), shown=file)


def read_results_of(content: bytes, *, shown: str) -> RunReport:
    """Read the content of a results.json that messages call `shown`. Raises BadInputError."""
    try:
        return read_results(content)
    except BadInputError as problem:
        hint = (
            "\nit looks like LiveKit's: `agentlab report --from livekit` reads that" if _is_export(content) else ""
        )
        raise BadInputError(f"{shown}: {problem}{hint}") from problem


def read_livekit_file(
    cwd: Path, file: str, *, redactor: Redactor, source: SourceIdentity
) -> tuple[RunReport, tuple[str, ...]]:
    """Read what LiveKit's command has exported, judge it, and return it with the notes on it.

    Secrets are masked and long texts cut, as in a run. Raises BadInputError when it cannot be read, or is
    something else.
    """
    # A run has no use for it, and pays for each module that it imports.
    from agentlab_ci.loading.livekit_run import MAX_BYTES, read_livekit_run  # noqa: PLC0415

    content = _read(cwd, file, most=MAX_BYTES)
    with redactor.masking_errors():
        run = read_livekit_run(content, shown=file)
    rows = (
        judge_scenario(_mask_facts(facts, redactor), map(redactor.sample, samples))
        for facts, samples in run.scenarios
    )
    facts = run.facts.model_copy(update={"imported": redactor.imported(run.imported), "source": source})
    return build_report(facts, rows, duration_ms=run.duration_ms), tuple(map(redactor.text, run.notes))


def livekit_secrets(environ: Mapping[str, str]) -> set[str]:
    """Return the secrets that whoever runs LiveKit's command has in the environment."""
    return {environ[name] for name in _LIVEKIT_SECRETS if name in environ}


def _mask_facts(facts: ScenarioFacts, redactor: Redactor) -> ScenarioFacts:
    """Mask the suite and the tags too, which are found by nobody here: they are texts of somebody else."""
    masked = redactor.facts(facts)
    tags = tuple(map(redactor.text, facts.tags))
    return masked.model_copy(update={"suite": redactor.text(facts.suite), "tags": tags})


def _read(cwd: Path, file: str, *, most: int) -> bytes:
    path = cwd / file
    content: bytes | None
    try:
        if file == STDIN:
            content = b"" if sys.stdin is None else _read_pipe(sys.stdin.fileno(), most)
        elif path.exists() and not path.is_file():
            raise BadInputError(f"cannot read {file}: it is not a file")
        else:
            content = _read_file(path, most)
    except OSError as problem:
        raise BadInputError(f"cannot read {file}: {problem.strerror}") from problem
    if content is None or len(content) > most:
        raise BadInputError(f"cannot read {file}: it is longer than {most >> 20} MiB")
    return content


def _read_file(path: Path, most: int) -> bytes | None:
    """Return nothing of a file that is too long, and one byte too many of one that grows to be that."""
    with path.open("rb") as stream:
        return None if os.fstat(stream.fileno()).st_size > most else stream.read(most + 1)


def _read_pipe(handle: int, most: int) -> bytes:
    """Return what comes, up to one piece too many.

    It waits in short turns: a signal that comes just before a read begins would not end that read.
    """
    pieces, size = [], 0
    while size <= most:
        while not select.select([handle], [], [], _TURN)[0]:
            pass
        piece = os.read(handle, _PIECE)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _is_export(content: bytes) -> bool:
    """Tell whether it has the shape of what LiveKit's command prints."""
    try:
        document = from_json(content)
    except ValueError:
        return False
    return isinstance(document, Mapping) and isinstance(document.get("run"), Mapping)
