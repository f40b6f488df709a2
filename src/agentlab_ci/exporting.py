"""The story of an export: find a batch, and write it whole for other tools."""

import re
from pathlib import Path
from typing import assert_never

from agentlab_ci.app import World
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.stored import BatchRef, RunRef
from agentlab_ci.core.text import plural
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import render_json
from agentlab_ci.reports.livekit_json import render_livekit
from agentlab_ci.results_file import read_results_file
from agentlab_ci.settings import ResultsSource
from agentlab_ci.store.reader import load_report
from agentlab_ci.store.references import NotStoredError, batch_not_found, find_reference

_OLD_COMMAND = re.compile(rb"(#[^\x20-\x7e]*)#(?=[^\x20-\x7e]*\[)")
"""`##[` anywhere in a line is a command to a CI runner, which may look past what cannot be seen."""


def export_batch(text: str, world: World, *, database: Path, form: ResultsSource) -> bytes:
    """Return a batch in one of the forms; it is named by its id, `@last`, `@prev`, or a file of results.

    No CI runner takes a line of it for a command. Raises BadInputError for what is not there or did not end, for a
    run or a part of a batch, and for what the form cannot hold without another verdict.
    """
    report = _find(text, world, database)
    match form:
        case ResultsSource.AGENTLAB:
            content = render_json(report)
        case ResultsSource.LIVEKIT:
            content = render_livekit(report)
            if skipped := report.summary.scenarios.skipped:
                world.console.err(
                    f"left out, because LiveKit's form has none: {plural(skipped, 'skipped scenario')}"
                )
        case _:
            assert_never(form)
    return _OLD_COMMAND.sub(rb"\1\\u0023", content)


def _find(text: str, world: World, database: Path) -> RunReport:
    if not text.startswith("@") and (text.endswith(".json") or (world.cwd / text).is_file()):
        return regate(read_results_file(world.cwd, text))
    try:
        reference = find_reference(database, text)
    except NotStoredError as error:
        if text.startswith(("@", "batch_", "run_")):
            raise
        raise batch_not_found(text, database) from error
    match reference:
        case BatchRef(batch_id=batch_id, scenario_id=None):
            return load_report(database, batch_id)
        case BatchRef(batch_id=batch_id):
            raise BadInputError(f"{text} is only a part of {batch_id}: export takes whole batches")
        case RunRef(batch_id=batch_id):
            raise BadInputError(f"{text} is a run: export takes whole batches, and its batch is {batch_id}")
        case _:
            assert_never(reference)
