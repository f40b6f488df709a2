"""From what a user writes to what is stored: `run_…`, `batch_…`, `@last`, `@prev`, `@last:support.refund`."""

import sqlite3
from pathlib import Path

from agentlab_ci.core.stored import BatchRef, Reference, RunRef
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.database import reading
from agentlab_ci.store.rows import column

_AGO = {"@last": 0, "@prev": 1}
"""How many batches began after it."""
_ENOUGH = ("a batch", "two batches")
_BATCH = "batch_"

_FIND_BATCH = "SELECT 1 FROM batches WHERE batch_id = ?"
_FIND_RUN = "SELECT batch_id, scenario_id FROM samples WHERE run_id = ?"
_NTH_NEWEST = """
    SELECT batch_id FROM batches
    WHERE :scenario IS NULL
        OR EXISTS (SELECT 1 FROM samples WHERE batch_id = batches.batch_id AND scenario_id = :scenario)
    ORDER BY started_at DESC, rowid DESC LIMIT 1 OFFSET :ago
"""


def find_reference(path: Path, text: str) -> Reference:
    """Return the run or the batch that is meant.

    `@last` is the batch that began last, ended or not, and `@prev` the one before; with `:SCENARIO`, of those that
    have samples of it. Raises BadInputError for what is not there, and for a database that is not or that cannot
    be used.
    """
    with reading(path) as connection:
        if text.startswith("@"):
            return _find_recent(connection, text, path)
        if text.startswith(_BATCH):
            if not connection.execute(_FIND_BATCH, (column(text),)).fetchone():
                raise batch_not_found(text, path)
            return BatchRef(batch_id=text)
        found = connection.execute(_FIND_RUN, (column(text),)).fetchone()
        if found is None:
            raise run_not_found(text, path)
        return RunRef(run_id=text, batch_id=found[0], scenario_id=found[1])


class NotStoredError(BadInputError):
    """What is asked for is not in the database."""


def run_not_found(run_id: str, path: Path) -> NotStoredError:
    """Return what to raise for a run that is not stored."""
    return NotStoredError(f"Run '{run_id}' not found\nin {path}: `agentlab list runs` names those that are")


def batch_not_found(batch_id: str, path: Path) -> NotStoredError:
    """Return what to raise for a batch that is not stored."""
    return NotStoredError(f"Batch '{batch_id}' not found\nin {path}: `agentlab list batches` names those that are")


def _find_recent(connection: sqlite3.Connection, text: str, path: Path) -> BatchRef:
    word, colon, scenario_id = text.partition(":")
    if word not in _AGO or (colon and not scenario_id):
        raise BadInputError(
            f"{text} means nothing: give @last or @prev, both also with :SCENARIO, or the id of a run or a batch"
        )
    scenario = scenario_id or None
    wanted = {"scenario": None if scenario is None else column(scenario), "ago": _AGO[word]}
    found = connection.execute(_NTH_NEWEST, wanted).fetchone()
    if found is None:
        holding = f" with samples of {scenario}" if scenario else ""
        raise BadInputError(f"there is no {text}: {path} does not hold {_ENOUGH[_AGO[word]]}{holding}")
    return BatchRef(batch_id=found[0], scenario_id=scenario)
