"""Results back from the database."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.database import open_database
from agentlab_ci.store.rows import column


def load_report(path: Path, batch_id: str) -> RunReport:
    """Return the report that a batch ended with.

    Raises BadInputError for a database that is not there or cannot be used, and for a batch that is not in it or
    did not end.
    """
    if not path.exists():
        raise BadInputError(f"there is no database {path}")
    with closing(open_database(path)) as connection:
        key = column(batch_id)
        batch = connection.execute("SELECT ended_at, doc FROM batches WHERE batch_id = ?", (key,)).fetchone()
        if batch is None:
            raise BadInputError(f"the database {path} holds no batch {batch_id}")
        ended_at, doc = batch
        if ended_at is None:
            raise BadInputError(f"batch {batch_id} did not end: it still runs, or was killed")
        return RunReport.model_validate({**json.loads(doc), "scenarios": _read_scenarios(connection, key)})


def _read_scenarios(connection: sqlite3.Connection, key: str) -> list[dict[str, Any]]:
    samples: dict[tuple[str, str], list[Any]] = {}
    for variant, scenario_id, doc in connection.execute(
        "SELECT variant, scenario_id, doc FROM samples WHERE batch_id = ? ORDER BY sample", (key,)
    ):
        samples.setdefault((variant, scenario_id), []).append(json.loads(doc))
    return [
        {**json.loads(doc), "samples": samples.get((variant, scenario_id), [])}
        for variant, scenario_id, doc in connection.execute(
            "SELECT variant, scenario_id, doc FROM scenarios WHERE batch_id = ? ORDER BY position", (key,)
        )
    ]
