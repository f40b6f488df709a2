"""Old batches are removed, and what is approved or may still run is kept."""

import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from agentlab_ci.errors import BadInputError
from agentlab_ci.store.database import BUSY_SECONDS, open_existing, write
from agentlab_ci.store.rows import timestamp

SILENT = timedelta(days=1)
"""A batch without end counts as killed when it has begun no sample for as long as this, and as running until then.

Were it wrong nothing would be lost: the end of a batch writes all of it.
"""

_NEWEST_FIRST = """
    SELECT batch_id, started_at,
        EXISTS (SELECT 1 FROM approvals WHERE batch_id = batches.batch_id) AS approved,
        CASE WHEN ended_at IS NULL THEN
            max(started_at, coalesce((SELECT max(started_at) FROM samples WHERE batch_id = batches.batch_id), ''))
        END AS heard_of
    FROM batches ORDER BY started_at DESC, rowid DESC
"""
_REMOVE = (
    "DELETE FROM samples WHERE batch_id = ?",
    "DELETE FROM scenarios WHERE batch_id = ?",
    "DELETE FROM batches WHERE batch_id = ?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """The batches that were removed, or would be, newest first.

    `kept` counts those that are new enough; `approved` and `running` those that stay although they are not.
    """

    removed: tuple[str, ...]
    kept: int
    approved: int
    running: int


def prune(
    path: Path,
    *,
    now: datetime,
    keep: int | None = None,
    older_than: timedelta | None = None,
    dry_run: bool = False,
) -> Pruned:
    """Remove all but the newest `keep` batches, or those that began longer ago than `older_than`, and their space.

    Whatever is approved stays, and so does what may still run. Raises BadInputError for a database that is not
    there, cannot be used or stays locked.
    """

    def change(connection: sqlite3.Connection) -> Pruned:
        oldest = timestamp(now - older_than) if older_than is not None else None
        pruned = _choose(connection, keep=keep, oldest=oldest, heard_since=timestamp(now - SILENT))
        if not dry_run:
            for statement in _REMOVE:
                connection.executemany(statement, [(batch_id,) for batch_id in pruned.removed])
        return pruned

    pruned = write(path, change)
    if pruned.removed and not dry_run:
        _shrink(path)
    return pruned


def _choose(connection: sqlite3.Connection, *, keep: int | None, oldest: str | None, heard_since: str) -> Pruned:
    removed, kept, approved, running = [], 0, 0, 0
    for place, (batch_id, started_at, is_approved, heard_of) in enumerate(connection.execute(_NEWEST_FIRST)):
        if (keep is not None and place < keep) or (oldest is not None and started_at >= oldest):
            kept += 1
        elif is_approved:
            approved += 1
        elif heard_of is not None and heard_of >= heard_since:
            running += 1
        else:
            removed.append(batch_id)
    return Pruned(removed=tuple(removed), kept=kept, approved=approved, running=running)


def _shrink(path: Path) -> None:
    """Give the space back; where another process holds the lock, or the disk is full, the next time does it."""
    with (
        suppress(BadInputError, sqlite3.OperationalError),
        closing(open_existing(path, seconds=BUSY_SECONDS)) as connection,
    ):
        connection.execute("VACUUM")
