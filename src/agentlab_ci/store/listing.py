"""The runs and the batches that are stored, newest first, without what was said in them."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
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

    A batch is asked for when a scenario of it is. Of one without end neither suite nor agent need be known.
    """

    scenario: str | None = None
    suite: str | None = None
    agent: str | None = None
    variant: str | None = None
    since: datetime | None = None

    def parameters(self) -> dict[str, str]:
        """Return what the queries below ask with: only what is asked."""
        named = {name: getattr(self, name) for name in ("scenario", "suite", "agent", "variant")}
        asked = {name: column(value) for name, value in named.items() if value is not None}
        return asked if self.since is None else asked | {"since": timestamp(self.since)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which part of a list: what is older than `before`, or what is next newer than `after`; one of them, an id.

    Without either it is the newest. An id that is not stored has nothing before or after it.
    """

    before: str | None = None
    after: str | None = None


FIRST_PAGE = Page()


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Suites, agents and variants that batches are stored of, in alphabetical order."""

    suites: tuple[str, ...]
    agents: tuple[str, ...]
    variants: tuple[str, ...]


_RUNS = """
    SELECT run.run_id, run.batch_id, run.scenario_id, run.variant, row.suite, row.agent,
        run.doc, run.sample, run.status, run.reason AS termination_reason,
        run.score, run.started_at, run.duration_ms, run.cost_usd,
        EXISTS (SELECT 1 FROM approvals WHERE batch_id = run.batch_id AND run_id = run.run_id) AS approved
    FROM samples run LEFT JOIN scenarios row USING (batch_id, scenario_id, variant)
    WHERE run.rowid IN (
        SELECT run.rowid FROM samples run{joined} WHERE {conditions}
        ORDER BY run.started_at {order}, run.rowid {order} LIMIT :limit
    )
    ORDER BY run.started_at DESC, run.rowid DESC
"""
_JOINED = " JOIN scenarios row USING (batch_id, scenario_id, variant)"
_OF_RUNS = {
    "scenario": "run.scenario_id GLOB :scenario",
    "variant": "run.variant = :variant",
    "suite": "row.suite = :suite",
    "agent": "row.agent = :agent",
    "since": "run.started_at >= :since",
    "status": "run.status = :status",
    "batch": "run.batch_id = :batch",
    "before": "(run.started_at, run.rowid) < (SELECT started_at, rowid FROM samples WHERE run_id = :before)",
    "after": "(run.started_at, run.rowid) > (SELECT started_at, rowid FROM samples WHERE run_id = :after)",
}
_BATCHES = """
    SELECT batch_id, started_at, ended_at, coalesce(verdict, 'no-end') AS verdict, exit_code, doc,
        EXISTS (SELECT 1 FROM approvals WHERE batch_id = batches.batch_id) AS approved
    FROM batches WHERE {conditions} ORDER BY started_at {order}, rowid {order} LIMIT :limit
"""
_OF_BATCHES = {
    "since": "started_at >= :since",
    "verdict": "coalesce(verdict, 'no-end') = :verdict",
    "before": "(started_at, rowid) < (SELECT started_at, rowid FROM batches WHERE batch_id = :before)",
    "after": "(started_at, rowid) > (SELECT started_at, rowid FROM batches WHERE batch_id = :after)",
}
_HOLDS = "EXISTS (SELECT 1 FROM {table} row WHERE batch_id = batches.batch_id AND {conditions})"
_OF_ROWS = {
    "scenario": "row.scenario_id GLOB :scenario",
    "variant": "row.variant = :variant",
    "suite": "row.suite = :suite",
    "agent": "row.agent = :agent",
}
_OF_SAMPLES = ("scenario", "variant")
"""What is known of a batch without end, whatever began it."""
_ITS_SCENARIOS = "SELECT variant, suite, agent FROM scenarios WHERE batch_id = ? ORDER BY position"
_ITS_SAMPLES = "SELECT status, count(*) AS samples FROM samples WHERE batch_id = ? GROUP BY status"
_NAMES = "SELECT DISTINCT {column} FROM scenarios WHERE {column} <> '' ORDER BY {column}"


def list_runs(
    path: Path,
    asked: Filter,
    *,
    status: SampleStatus | None = None,
    batch_id: str | None = None,
    page: Page = FIRST_PAGE,
    limit: int,
) -> tuple[RunEntry, ...]:
    """Return up to `limit` samples that ran; raises BadInputError for a database that cannot be used."""
    chosen = {"status": status, "batch": None if batch_id is None else column(batch_id)}
    parameters = {**asked.parameters(), **_known(chosen), **_place(page)}
    query = _RUNS.format(
        joined=_JOINED if parameters.keys() & {"suite", "agent"} else "",
        conditions=_all_of(_OF_RUNS, parameters, "run.run_id IS NOT NULL"),
        order=_order(page),
    )
    with reading(path) as connection:
        connection.row_factory = sqlite3.Row
        return tuple(_read_run(dict(run)) for run in connection.execute(query, {**parameters, "limit": limit}))


def list_batches(
    path: Path,
    asked: Filter,
    *,
    verdict: BatchState | None = None,
    page: Page = FIRST_PAGE,
    limit: int,
) -> tuple[BatchEntry, ...]:
    """Return up to `limit` batches; raises BadInputError for a database that cannot be used."""
    parameters = {**asked.parameters(), **_known({"verdict": verdict}), **_place(page)}
    query = _BATCHES.format(conditions=_all_of(_OF_BATCHES, parameters, *_holding(parameters)), order=_order(page))
    with reading(path) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute(query, {**parameters, "limit": limit}).fetchall()
        entries = [_read_batch(dict(batch), connection) for batch in found]
    return tuple(entries if page.after is None else reversed(entries))


def list_names(path: Path) -> Names:
    """Return what lists can be filtered by; raises BadInputError for a database that cannot be used."""
    with reading(path) as connection:
        found = {
            field.name: tuple(
                name for (name,) in connection.execute(_NAMES.format(column=field.name.removesuffix("s")))
            )
            for field in fields(Names)
        }
    return Names(**found)


def _known(asked: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if value is not None}


def _place(page: Page) -> dict[str, str]:
    place = {"after": page.after} if page.after is not None else {"before": page.before}
    return {name: column(value) for name, value in _known(place).items()}


def _order(page: Page) -> str:
    return "DESC" if page.after is None else "ASC"


def _all_of(conditions: Mapping[str, str], asked: Iterable[str], *always: str) -> str:
    return " AND ".join([*always, *(conditions[name] for name in asked if name in conditions)]) or "true"


def _holding(asked: Mapping[str, str]) -> Iterator[str]:
    """Yield the condition that a batch holds such a scenario, if that is asked."""
    wanted = [name for name in _OF_ROWS if name in asked]
    if not wanted:
        return
    held = _HOLDS.format(table="scenarios", conditions=_all_of(_OF_ROWS, wanted))
    if set(wanted) <= set(_OF_SAMPLES):
        samples = _HOLDS.format(table="samples", conditions=_all_of(_OF_ROWS, wanted))
        held = f"({held} OR ended_at IS NULL AND {samples})"
    yield held


def _read_run(columns: dict[str, Any]) -> RunEntry:
    read = {
        "of": read_document(columns.pop("doc"))["of"],
        "variant": columns["variant"] or None,
        "status": SampleStatus(columns["status"]),
        "approved": bool(columns["approved"]),
    }
    return RunEntry(**columns | read)


def _read_batch(columns: dict[str, Any], connection: sqlite3.Connection) -> BatchEntry:
    key = (columns["batch_id"],)
    rows = connection.execute(_ITS_SCENARIOS, key).fetchall()
    samples = {row["status"]: row["samples"] for row in connection.execute(_ITS_SAMPLES, key)}
    end = read_document(columns.pop("doc")).get("summary")
    summary = None if end is None else Summary.model_validate(end)
    read = {
        "verdict": BatchState(columns["verdict"]),
        "scenarios": None if summary is None else summary.scenarios,
        "samples": SampleCounts(**{status.value: samples.get(status, 0) for status in SampleStatus}),
        "suites": _unique(row["suite"] for row in rows),
        "agents": _unique(row["agent"] for row in rows),
        "variants": _unique(row["variant"] or None for row in rows),
        "cost_usd": None if summary is None else summary.cost_usd,
        "duration_ms": None if summary is None else summary.duration_ms,
        "approved": bool(columns["approved"]),
    }
    return BatchEntry(**columns | read)


def _unique(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name is not None))
