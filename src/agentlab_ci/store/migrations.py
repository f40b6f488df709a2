"""The schema, as numbered steps from a blank file. A step is never changed once it was released.

`doc` columns hold the JSON of results.json; the other columns are what queries filter by. `variant` is the label,
and empty outside a variant set. `ended_at` is NULL while a batch runs, and for ever if it was killed; until then
its scenarios hold what was planned. An approval is of a batch; of one of its scenarios, or of a run, where
`scenario_id` and `run_id` are not empty.
"""

import sqlite3

from agentlab_ci.store.transaction import transaction

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE batches (
            batch_id TEXT PRIMARY KEY,
            started_at TEXT NOT NULL,
            ended_at TEXT,
            verdict TEXT,
            exit_code INTEGER,
            doc TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE scenarios (
            batch_id TEXT NOT NULL REFERENCES batches,
            position INTEGER NOT NULL,
            scenario_id TEXT NOT NULL,
            variant TEXT NOT NULL,
            verdict TEXT NOT NULL,
            doc TEXT NOT NULL,
            PRIMARY KEY (batch_id, position)
        )
        """,
        """
        CREATE TABLE samples (
            batch_id TEXT NOT NULL REFERENCES batches,
            scenario_id TEXT NOT NULL,
            variant TEXT NOT NULL,
            sample INTEGER NOT NULL,
            run_id TEXT,
            status TEXT NOT NULL,
            reason TEXT NOT NULL,
            score INTEGER,
            started_at TEXT,
            duration_ms REAL NOT NULL,
            cost_usd REAL,
            doc TEXT NOT NULL,
            PRIMARY KEY (batch_id, variant, scenario_id, sample)
        )
        """,
    ),
    (
        """
        CREATE TABLE approvals (
            batch_id TEXT NOT NULL REFERENCES batches,
            scenario_id TEXT NOT NULL,
            run_id TEXT NOT NULL,
            approved_at TEXT NOT NULL,
            PRIMARY KEY (batch_id, scenario_id, run_id)
        )
        """,
        "CREATE INDEX samples_by_run ON samples (run_id)",
        "CREATE INDEX samples_by_start ON samples (started_at)",
    ),
    (
        "ALTER TABLE scenarios ADD COLUMN suite TEXT",
        "ALTER TABLE scenarios ADD COLUMN agent TEXT",
        """
        UPDATE scenarios SET suite = json_extract(doc, '$.suite'), agent = json_extract(doc, '$.agent.name')
        WHERE json_valid(doc)
        """,
        "CREATE INDEX batches_by_start ON batches (started_at)",
        "CREATE INDEX scenarios_by_key ON scenarios (batch_id, variant, scenario_id, suite, agent)",
        "CREATE INDEX scenarios_by_id ON scenarios (scenario_id, variant, batch_id, suite, verdict)",
        "CREATE INDEX samples_by_status ON samples (batch_id, status)",
        "CREATE INDEX samples_by_scenario ON samples (scenario_id, variant, batch_id, status)",
        # All that a list of runs filters by: it looks at the rows of those alone that it shows.
        "DROP INDEX samples_by_start",
        "CREATE INDEX samples_by_start ON samples (started_at, status, scenario_id, variant, batch_id, run_id)",
    ),
)


class NewerSchemaError(Exception):
    """The file was written by a newer agentlab; the message names both versions."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, in one transaction; raises NewerSchemaError and sqlite3.Error.

    Where it is up to date already, nothing is written: a reader does not wait for those who write.
    """
    if connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),):
        return
    with transaction(connection):
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise NewerSchemaError(f"it has schema {version}, and this agentlab knows up to {len(MIGRATIONS)}")
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
