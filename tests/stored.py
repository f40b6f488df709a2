"""Puts results into a database, as a run does."""

from pathlib import Path

from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.store.writer import StoreWriter
from factories import make_batch, make_report


def store_batch(path: Path, name: str, started_at: str, *rows: ScenarioResult) -> RunReport:
    """Store a batch that ended; the runs of `batch_1` are called `run_1.a.one.2` and the like."""
    report = make_report(*(_with_run_ids(row, name, started_at) for row in rows))
    report = report.model_copy(update={"batch_id": name, "started_at": started_at})
    writer = StoreWriter.open(path)
    writer.start_batch(report)
    writer.finish_batch(report)
    assert writer.close() is None
    return report


def store_killed_batch(path: Path, name: str, started_at: str, *rows: ScenarioResult) -> None:
    """Store a batch that began and got as far as these samples, and has no end."""
    writer = StoreWriter.open(path)
    writer.start_batch(make_batch(batch_id=name, started_at=started_at))
    for row in rows:
        for sample in _with_run_ids(row, name, started_at).samples:
            writer.add_sample(name, row.key[0], sample)
    assert writer.close() is None


def run_id(batch: str, row: ScenarioResult, sample: int) -> str:
    """Return what the run of a sample is called."""
    names = (batch.removeprefix("batch_"), row.key[0], row.scenario_id, str(sample))
    return ascii(f"run_{'.'.join(filter(None, names))}")[1:-1]


def _with_run_ids(row: ScenarioResult, batch: str, started_at: str) -> ScenarioResult:
    samples = tuple(
        sample
        if sample.run_id is None
        else sample.model_copy(update={"run_id": run_id(batch, row, sample.sample), "started_at": started_at})
        for sample in row.samples
    )
    return row.model_copy(update={"samples": samples})
