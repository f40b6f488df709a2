"""The pages of `agentlab ui` over a big history: `python -m benchmarks.ui_pages BATCHES SCENARIOS SAMPLES`.

Prints how many milliseconds each page takes over HTTP, the median of some requests, the longest lists and the
least lucky filters among them.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, RunReport
from agentlab_ci.store.writer import StoreWriter
from benchmarks.results import make_report

AGENTLAB = (sys.executable, "-c", "from agentlab_ci.cli.main import main; main()")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 9
AGENT = AgentIdentity(
    name="shop", provider=Provider.HTTP, label="shop assistant", url="http://localhost:3000/chat"
)


def main(batches: int, scenarios: int, samples: int) -> None:
    """Store so many batches, serve them, and fetch every page some times."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "agentlab.db"
        store(database, make_report(scenarios=scenarios, samples=samples), batches)
        command = (*AGENTLAB, "ui", "--db", str(database), "--port", "0")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout is not None  # noqa: S101 - it was asked for
                _, address = (server.stdout.readline().strip() for _ in range(2))
                origin = address.partition("/?")[0]
                figures = {name: measure(origin + path) for name, path in pages(batches).items()}
            finally:
                server.kill()
        figures["database, MB"] = database.stat().st_size / 1e6
    print(json.dumps(figures))


def pages(batches: int) -> dict[str, str]:
    """Return the pages by name."""
    last, middle = _batch_id(batches - 1), _batch_id(batches // 2)
    run = f"run_{batches // 2}_0_1"
    return {
        "batches": "/",
        "batches, in the middle": f"/?before={middle}",
        "batches of a scenario": "/?scenario=support.refund-7",
        "batches, none found": "/?scenario=*.nothing&suite=support",
        "runs": "/runs",
        "runs, in the middle": f"/runs?before={run}",
        "runs of a scenario that failed": "/runs?scenario=support.refund-7&status=failed",
        "runs of an agent": "/runs?agent=shop",
        "runs, none found": "/runs?scenario=*.nothing&suite=support&status=error",
        "scenarios": "/scenarios",
        "a batch": f"/batch?id={last}",
        "a run": f"/run?id={run}",
        "a scenario": "/scenario?id=support.refund-7",
        "two batches compared": f"/compare?old={middle}&new={last}",
    }


def store(database: Path, report: RunReport, batches: int) -> None:
    """Store the same results under other ids, as batches an hour apart."""
    for number in range(batches):
        with StoreWriter.open(database) as writer:
            began = BEGAN + timedelta(hours=number)
            writer.finish_batch(_renamed(report, number, began))


def measure(url: str) -> float:
    """Return the median of the milliseconds that a page takes."""
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        with urllib.request.urlopen(url) as answer:
            answer.read()
        spent.append((time.perf_counter() - started) * 1000)
    return median(spent)


def _renamed(report: RunReport, number: int, began: datetime) -> RunReport:
    rows = tuple(
        row.model_copy(
            update={
                "agent": AGENT,
                "samples": tuple(
                    sample.model_copy(
                        update={
                            "run_id": f"run_{number}_{place}_{sample.sample}",
                            "started_at": (began + timedelta(milliseconds=40 * place)).isoformat(
                                timespec="milliseconds"
                            ),
                        }
                    )
                    for sample in row.samples
                ),
            }
        )
        for place, row in enumerate(report.scenarios)
    )
    at = began.isoformat(timespec="milliseconds")
    return report.model_copy(update={"batch_id": _batch_id(number), "started_at": at, "scenarios": rows})


def _batch_id(number: int) -> str:
    return f"batch_20260101_{number:06}_abcdef"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
