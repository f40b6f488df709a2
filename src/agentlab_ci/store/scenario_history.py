"""What became of a scenario from batch to batch, and which scenarios there are."""

import sqlite3
from pathlib import Path

from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.stored import ScenarioEntry, StoredScenario
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.store.reader import one_moment
from agentlab_ci.store.references import NotStoredError
from agentlab_ci.store.rows import column, read_document

_HISTORY = """
    SELECT batch_id, started_at, variant, scenario_id, row.doc
    FROM scenarios row JOIN batches USING (batch_id)
    WHERE scenario_id = ? AND ended_at IS NOT NULL
    ORDER BY started_at DESC, batches.rowid DESC, position LIMIT ?
"""
_SAMPLES = "SELECT doc FROM samples WHERE batch_id = ? AND variant = ? AND scenario_id = ? ORDER BY sample"
_IS_KNOWN = "SELECT 1 FROM scenarios WHERE scenario_id = :id UNION SELECT 1 FROM samples WHERE scenario_id = :id"
# Beside max(), SQLite takes the other columns from the row that holds the maximum.
_SCENARIOS = """
    SELECT scenario_id, variant, suite, batch_id, row.verdict, max(started_at) AS started_at, count(*) AS batches
    FROM scenarios row JOIN batches USING (batch_id)
    WHERE ended_at IS NOT NULL AND scenario_id GLOB :scenario AND (:suite IS NULL OR suite = :suite)
    GROUP BY scenario_id, variant ORDER BY suite, scenario_id, variant LIMIT :limit
"""


def load_history(path: Path, scenario_id: str, *, limit: int) -> tuple[StoredScenario, ...]:
    """Return how the scenario ended in up to `limit` batches and variants, the newest batch first.

    Raises BadInputError for a database that is not there or cannot be used, and NotStoredError for a scenario of
    which nothing is stored; there is none yet of one that runs for the first time.
    """
    key = column(scenario_id)
    with one_moment(path) as connection:
        if not connection.execute(_IS_KNOWN, {"id": key}).fetchone():
            raise NotStoredError(f"Scenario '{scenario_id}' not found\nin {path}: no batch holds it")
        found = connection.execute(_HISTORY, (key, limit)).fetchall()
        return tuple(
            StoredScenario(
                batch_id=batch_id, started_at=started_at, row=_read(connection, (batch_id, variant, held), doc)
            )
            for batch_id, started_at, variant, held, doc in found
        )


def list_scenarios(
    path: Path, *, scenario: str = "*", suite: str | None = None, limit: int
) -> tuple[ScenarioEntry, ...]:
    """Return up to `limit` scenarios and variants that batches ended with, and how they stood in the newest.

    By suite and id. `scenario` is a glob; with `suite`, what batches ended with while they were in it.
    """
    asked = {"scenario": column(scenario), "suite": None if suite is None else column(suite), "limit": limit}
    with one_moment(path) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute(_SCENARIOS, asked)]
        return tuple(
            ScenarioEntry(**row | {"variant": row["variant"] or None, "verdict": Verdict(row["verdict"])})
            for row in found
        )


def _read(connection: sqlite3.Connection, key: tuple[str, str, str], doc: str) -> ScenarioResult:
    samples = [SampleResult.model_validate(read_document(it)) for (it,) in connection.execute(_SAMPLES, key)]
    return ScenarioResult.model_validate({**read_document(doc), "samples": samples})
