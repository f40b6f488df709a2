"""Which stored results somebody has approved, so that later ones can be compared with them."""

import sqlite3
from pathlib import Path

from agentlab_ci.core.stored import Approval, BatchRef, Reference, RunRef
from agentlab_ci.store.database import reading, write
from agentlab_ci.store.references import batch_not_found, run_not_found
from agentlab_ci.store.rows import column

_APPROVE = """
    INSERT INTO approvals (batch_id, scenario_id, run_id, approved_at)
    SELECT batch_id, :scenario, :run, :at FROM batches WHERE batch_id = :batch
    ON CONFLICT DO UPDATE SET approved_at = excluded.approved_at
"""
_NEWEST_FIRST = """
    SELECT batch_id, scenario_id, run_id, approved_at FROM approvals
    WHERE (:batch IS NULL OR batch_id = :batch)
        AND (:scenario IS NULL OR scenario_id = :scenario OR scenario_id = '' AND EXISTS (
            SELECT 1 FROM samples WHERE batch_id = approvals.batch_id AND scenario_id = :scenario
        ))
    ORDER BY approved_at DESC, rowid DESC
"""


def approve(path: Path, reference: Reference, *, at: str) -> None:
    """Store that a batch, one of its scenarios, or a run is approved; once more only renews the time.

    Raises BadInputError when it is gone meanwhile, or the database cannot be written.
    """
    run_id = reference.run_id if isinstance(reference, RunRef) else None
    row = {
        "batch": column(reference.batch_id),
        "scenario": column(reference.scenario_id),
        "run": column(run_id),
        "at": at,
    }

    def insert(connection: sqlite3.Connection) -> int:
        return connection.execute(_APPROVE, row).rowcount

    if not write(path, insert):
        raise batch_not_found(reference.batch_id, path) if run_id is None else run_not_found(run_id, path)


def list_approvals(
    path: Path, *, batch_id: str | None = None, scenario_id: str | None = None
) -> tuple[Approval, ...]:
    """Return what is approved, the newest first.

    With `batch_id` only what is of this batch; with `scenario_id` only what holds samples of this scenario, be it
    a batch, its scenario, or a run. Raises BadInputError for a database that is not there or cannot be used.
    """
    asked = {
        "batch": None if batch_id is None else column(batch_id),
        "scenario": None if scenario_id is None else column(scenario_id),
    }
    with reading(path) as connection:
        return tuple(
            Approval(reference=_read_reference(*found), approved_at=approved_at)
            for *found, approved_at in connection.execute(_NEWEST_FIRST, asked)
        )


def _read_reference(batch_id: str, scenario_id: str, run_id: str) -> Reference:
    if run_id:
        return RunRef(run_id=run_id, batch_id=batch_id, scenario_id=scenario_id)
    return BatchRef(batch_id=batch_id, scenario_id=scenario_id or None)
