"""Results as rows: a batch, a scenario, a sample."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from agentlab_ci.core.results import BatchFacts, RunReport, SampleResult, ScenarioFacts
from agentlab_ci.core.trace import Record
from agentlab_ci.core.verdict import Verdict

_INSERT_BATCH = """
    INSERT INTO batches (batch_id, started_at, ended_at, verdict, exit_code, doc) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at, verdict = excluded.verdict,
        exit_code = excluded.exit_code, doc = excluded.doc
"""
_INSERT_SCENARIO = """
    INSERT OR REPLACE INTO scenarios (batch_id, position, scenario_id, variant, verdict, suite, agent, doc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_SAMPLE = """
    INSERT OR REPLACE INTO samples (batch_id, scenario_id, variant, sample, run_id, status, reason, score,
        started_at, duration_ms, cost_usd, doc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def write_batch_start(
    connection: sqlite3.Connection, facts: BatchFacts, planned: Iterable[ScenarioFacts] = ()
) -> None:
    """Write the row of a batch that runs, and those of its scenarios, which its end writes again."""
    batch_id = column(facts.batch_id)
    connection.execute(_INSERT_BATCH, (batch_id, facts.started_at, None, None, None, to_json(facts)))
    for position, row in enumerate(planned):
        verdict = Verdict.UNFINISHED if row.skipped is None else Verdict.SKIPPED
        _write_scenario(connection, batch_id, position, row, verdict=verdict, doc=to_json(row))


def write_report(connection: sqlite3.Connection, report: RunReport) -> None:
    """Write the end of a batch, its scenarios, and the samples that are not stored as they stand in the report."""
    batch_id = column(report.batch_id)
    summary = report.summary
    end = (report.ended_at, summary.verdict, int(summary.exit_code), to_json(report, without="scenarios"))
    connection.execute(_INSERT_BATCH, (batch_id, report.started_at, *end))
    stored = set(
        connection.execute(
            "SELECT variant, scenario_id, sample, run_id, status, reason FROM samples WHERE batch_id = ?",
            (batch_id,),
        )
    )
    for position, row in enumerate(report.scenarios):
        variant, scenario_id = row.key
        doc = to_json(row, without="samples")
        _write_scenario(connection, batch_id, position, row, verdict=row.verdict, doc=doc)
        for sample in row.samples:
            key = (column(variant), column(scenario_id), sample.sample)
            if (*key, sample.run_id, sample.status, sample.termination_reason) not in stored:
                write_sample(connection, report.batch_id, variant, sample)


def _write_scenario(
    connection: sqlite3.Connection,
    batch_id: str,
    position: int,
    row: ScenarioFacts,
    *,
    verdict: Verdict,
    doc: str,
) -> None:
    variant, scenario_id = row.key
    agent = None if row.agent is None else column(row.agent.name)
    named = (column(scenario_id), column(variant), verdict, column(row.suite), agent)
    connection.execute(_INSERT_SCENARIO, (batch_id, position, *named, doc))


def write_sample(connection: sqlite3.Connection, batch_id: str, variant: str | None, sample: SampleResult) -> None:
    """Write a sample in place of what was known of it before."""
    connection.execute(
        _INSERT_SAMPLE,
        (
            column(batch_id),
            column(sample.scenario_id),
            column(variant),
            sample.sample,
            sample.run_id,
            sample.status,
            sample.termination_reason,
            sample.score,
            sample.started_at,
            sample.duration_ms,
            sample.usage.cost_usd,
            to_json(sample),
        ),
    )


def to_json(record: Record, *, without: str | None = None) -> str:
    """Return the record as JSON in ASCII: a lone surrogate, which has no UTF-8 form, becomes an escape."""
    return json.dumps(record.model_dump(exclude=None if without is None else {without}))


def read_document(text: str) -> dict[str, Any]:
    """Return the object that a `doc` column holds; raises ValueError and TypeError when it holds none."""
    document = json.loads(text)
    if not isinstance(document, dict):
        raise TypeError("a document in it is no object")
    return document


def column(text: str | None) -> str:
    """Return the text as a column can hold it, empty for None."""
    return (text or "").encode(errors="backslashreplace").decode()


def timestamp(moment: datetime) -> str:
    """Return a moment as the columns hold it: such texts sort by time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
