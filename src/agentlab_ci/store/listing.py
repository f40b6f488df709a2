"""The runs and the batches that are stored, newest first, without what was said in them."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.results import SampleCounts, Summary
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import BatchEntry, RunEntry
from agentlab_ci.store.database import reading
from agentlab_ci.store.rows import column, read_document, timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What is asked for; None is everything. `scenario` may be a glob, `agent` is its name in the config.

    A batch is asked for when a scenario of it is. Of one without end neither suite nor agent is known.
    """

    scenario: str | None = None
    suite: str | None = None
    agent: str | None = None
    variant: str | None = None
    since: datetime | None = None

    def parameters(self) -> dict[str, str | None]:
        """Return what the queries below ask with."""
        named = {name: getattr(self, name) for name in ("scenario", "suite", "agent", "variant")}
        asked = {name: None if value is None else column(value) for name, value in named.items()}
        return asked | {"since": None if self.since is None else timestamp(self.since)}


_RUNS = """
    SELECT run.run_id, run.batch_id, run.scenario_id, run.variant, row.doc AS scenario,
        run.doc, run.sample, run.status, run.reason AS termination_reason,
        run.score, run.started_at, run.duration_ms, run.cost_usd,
        EXISTS (SELECT 1 FROM approvals WHERE approvals.run_id = run.run_id) AS approved
    FROM samples run LEFT JOIN scenarios row USING (batch_id, scenario_id, variant)
    WHERE run.run_id IS NOT NULL
        AND (:scenario IS NULL OR run.scenario_id GLOB :scenario)
        AND (:variant IS NULL OR run.variant = :variant)
        AND (:suite IS NULL OR json_extract(row.doc, '$.suite') = :suite)
        AND (:agent IS NULL OR json_extract(row.doc, '$.agent.name') = :agent)
        AND (:since IS NULL OR run.started_at >= :since)
        AND (:status IS NULL OR run.status = :status)
    ORDER BY run.started_at DESC, run.rowid DESC LIMIT :limit
"""
_BATCHES = """
    SELECT batch_id, started_at, ended_at, coalesce(verdict, 'no-end') AS verdict, exit_code, doc,
        EXISTS (SELECT 1 FROM approvals WHERE batch_id = batches.batch_id) AS approved
    FROM batches
    WHERE (:since IS NULL OR started_at >= :since)
        AND (:verdict IS NULL OR coalesce(verdict, 'no-end') = :verdict)
        AND (coalesce(:scenario, :variant, :suite, :agent) IS NULL
            OR EXISTS (
                SELECT 1 FROM scenarios WHERE batch_id = batches.batch_id
                    AND (:scenario IS NULL OR scenario_id GLOB :scenario)
                    AND (:variant IS NULL OR variant = :variant)
                    AND (:suite IS NULL OR json_extract(doc, '$.suite') = :suite)
                    AND (:agent IS NULL OR json_extract(doc, '$.agent.name') = :agent)
            )
            OR coalesce(:suite, :agent) IS NULL AND EXISTS (
                SELECT 1 FROM samples WHERE batch_id = batches.batch_id
                    AND (:scenario IS NULL OR scenario_id GLOB :scenario)
                    AND (:variant IS NULL OR variant = :variant)
            ))
    ORDER BY started_at DESC, rowid DESC LIMIT :limit
"""
_ITS_SCENARIOS = "SELECT doc FROM scenarios WHERE batch_id = ? ORDER BY position"
_ITS_SAMPLES = "SELECT status, count(*) AS samples FROM samples WHERE batch_id = ? GROUP BY status"


def list_runs(
    path: Path, asked: Filter, *, status: SampleStatus | None = None, limit: int
) -> tuple[RunEntry, ...]:
    """Return up to `limit` samples that ran; raises BadInputError for a database that cannot be used."""
    parameters = {**asked.parameters(), "status": status, "limit": limit}
    with reading(path) as connection:
        connection.row_factory = sqlite3.Row
        return tuple(_read_run(dict(found)) for found in connection.execute(_RUNS, parameters))


def list_batches(
    path: Path, asked: Filter, *, verdict: BatchState | None = None, limit: int
) -> tuple[BatchEntry, ...]:
    """Return up to `limit` batches; raises BadInputError for a database that cannot be used."""
    parameters = {**asked.parameters(), "verdict": verdict, "limit": limit}
    with reading(path) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute(_BATCHES, parameters).fetchall()
        return tuple(_read_batch(dict(batch), connection) for batch in found)


def _read_run(columns: dict[str, Any]) -> RunEntry:
    row = read_document(columns.pop("scenario") or "{}")
    read = {
        "of": read_document(columns.pop("doc"))["of"],
        "variant": columns["variant"] or None,
        "suite": row.get("suite"),
        "agent": _name_agent(row),
        "status": SampleStatus(columns["status"]),
        "approved": bool(columns["approved"]),
    }
    return RunEntry(**columns | read)


def _read_batch(columns: dict[str, Any], connection: sqlite3.Connection) -> BatchEntry:
    key = (columns["batch_id"],)
    rows = [read_document(row["doc"]) for row in connection.execute(_ITS_SCENARIOS, key)]
    samples = {row["status"]: row["samples"] for row in connection.execute(_ITS_SAMPLES, key)}
    end = read_document(columns.pop("doc")).get("summary")
    summary = None if end is None else Summary.model_validate(end)
    read = {
        "verdict": BatchState(columns["verdict"]),
        "scenarios": None if summary is None else summary.scenarios,
        "samples": SampleCounts(**{status.value: samples.get(status, 0) for status in SampleStatus}),
        "suites": _unique(row["suite"] for row in rows),
        "agents": _unique(map(_name_agent, rows)),
        "variants": _unique((row["variant"] or {}).get("variant_label") for row in rows),
        "cost_usd": None if summary is None else summary.cost_usd,
        "duration_ms": None if summary is None else summary.duration_ms,
        "approved": bool(columns["approved"]),
    }
    return BatchEntry(**columns | read)


def _name_agent(row: dict[str, Any]) -> str | None:
    name = (row.get("agent") or {}).get("name")
    return None if name is None else str(name)


def _unique(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name is not None))
