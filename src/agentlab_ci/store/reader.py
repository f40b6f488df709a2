"""Results back from the database."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import (
    BatchFacts,
    RowKey,
    RunReport,
    SampleResult,
    ScenarioFacts,
    ScenarioResult,
)
from agentlab_ci.core.stored import StoredRun, UnendedBatch
from agentlab_ci.errors import BadInputError
from agentlab_ci.store.database import reading
from agentlab_ci.store.references import batch_not_found, run_not_found
from agentlab_ci.store.rows import column, read_document

_FIND_BATCH = "SELECT ended_at, doc FROM batches WHERE batch_id = ?"
_FIND_RUN = """
    SELECT batch_id, variant, scenario_id, samples.doc, batches.doc, ended_at
    FROM samples JOIN batches USING (batch_id)
    WHERE run_id = ?
"""
_SCENARIOS = "SELECT variant, scenario_id, doc FROM scenarios WHERE batch_id = ? ORDER BY position"
_SAMPLES = "SELECT variant, scenario_id, doc FROM samples WHERE batch_id = ? ORDER BY sample"
_ONE_SCENARIO = "SELECT doc FROM scenarios WHERE batch_id = ? AND variant = ? AND scenario_id = ?"
_ITS_SAMPLES = "SELECT doc FROM samples WHERE batch_id = ? AND variant = ? AND scenario_id = ? ORDER BY sample"


def load_report(path: Path, batch_id: str) -> RunReport:
    """Return the report that a batch ended with.

    Raises BadInputError for a database that is not there or cannot be used, and for a batch that is not in it or
    did not end.
    """
    batch = load_batch(path, batch_id)
    if isinstance(batch, UnendedBatch):
        raise BadInputError(f"batch {batch_id} did not end: it still runs, or was killed")
    return batch


def load_batch(path: Path, batch_id: str) -> RunReport | UnendedBatch:
    """Return the report that a batch ended with, else what is stored of it; raises as `load_report` does."""
    with one_moment(path) as connection:
        key = column(batch_id)
        batch = connection.execute(_FIND_BATCH, (key,)).fetchone()
        if batch is None:
            raise batch_not_found(batch_id, path)
        ended_at, doc = batch
        samples = _group_samples(connection, key)
        if ended_at is None:
            planned = [_read_planned(row) for _, _, row in connection.execute(_SCENARIOS, (key,))]
            return UnendedBatch(facts=_read_facts(doc), samples=_read_samples(samples), planned=tuple(planned))
        scenarios = [
            {**read_document(row), "samples": samples.get((variant, scenario_id), [])}
            for variant, scenario_id, row in connection.execute(_SCENARIOS, (key,))
        ]
        return RunReport.model_validate({**read_document(doc), "scenarios": scenarios})


def load_run(path: Path, run_id: str) -> StoredRun:
    """Return a run, and its scenario as far as it is stored.

    Raises BadInputError for a database that is not there or cannot be used, and for a run that is not in it.
    """
    with one_moment(path) as connection:
        found = connection.execute(_FIND_RUN, (column(run_id),)).fetchone()
        if found is None:
            raise run_not_found(run_id, path)
        *key, sample, batch, ended_at = found
        return StoredRun(
            batch=_read_facts(batch),
            variant=key[1] or None,
            row=_load_scenario(connection, key, ended=ended_at is not None),
            sample=SampleResult.model_validate(read_document(sample)),
            ended=ended_at is not None,
        )


@contextmanager
def one_moment(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database so that all that is read is of one moment, whatever is written meanwhile."""
    with reading(path) as connection:
        connection.execute("BEGIN")
        try:
            yield connection
        except ValidationError:
            raise BadInputError(
                f"the database {path} holds results that this agentlab cannot read: is a newer one needed?"
            ) from None


def _load_scenario(connection: sqlite3.Connection, key: list[str], *, ended: bool) -> ScenarioResult | None:
    found = connection.execute(_ONE_SCENARIO, key).fetchone()
    if found is None:
        return None
    samples = [read_document(doc) for (doc,) in connection.execute(_ITS_SAMPLES, key)]
    if not ended:
        return judge_scenario(_read_planned(found[0]), map(SampleResult.model_validate, samples))
    return ScenarioResult.model_validate({**read_document(found[0]), "samples": samples})


def _group_samples(connection: sqlite3.Connection, key: str) -> dict[tuple[str, str], list[Any]]:
    samples: dict[tuple[str, str], list[Any]] = {}
    for variant, scenario_id, doc in connection.execute(_SAMPLES, (key,)):
        samples.setdefault((variant, scenario_id), []).append(read_document(doc))
    return samples


def _read_samples(grouped: Mapping[tuple[str, str], list[Any]]) -> dict[RowKey, tuple[SampleResult, ...]]:
    return {
        (variant or None, scenario_id): tuple(map(SampleResult.model_validate, samples))
        for (variant, scenario_id), samples in grouped.items()
    }


def _read_planned(doc: str) -> ScenarioFacts:
    return ScenarioFacts.model_validate(read_document(doc))


def _read_facts(doc: str) -> BatchFacts:
    """Read what is known of a batch, without what is only known at its end."""
    return BatchFacts.model_validate(
        {name: value for name, value in read_document(doc).items() if name != "summary"}
    )
