"""Several runs on one database file at once, and a run that is killed."""

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from agentlab_ci.store.reader import load_report
from agentlab_ci.store.writer import StoreWriter
from command import conversation, start_agentlab, wait_for, write_project
from factories import make_batch, make_report, make_row, make_samples

PROCESSES = 8
SAMPLES = 50

_RUN = """
import sys
from pathlib import Path
from factories import make_batch, make_report, make_row, make_samples
from agentlab_ci.store.writer import StoreWriter

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
writer = StoreWriter.open(path)
batch = make_batch(batch_id=name)
writer.start_batch(batch)
for sample in make_samples("p" * count):
    writer.add_sample(name, None, sample)
writer.finish_batch(make_report(make_row("p" * count)).model_copy(update={"batch_id": name}))
sys.exit(writer.close(60))
"""

_ENDLESS_RUN = """
import sys
from itertools import count
from pathlib import Path
from factories import make_batch, make_samples
from agentlab_ci.store.writer import StoreWriter

writer = StoreWriter.open(Path(sys.argv[1]))
print("open", flush=True)
batch = make_batch()
writer.start_batch(batch)
[sample] = make_samples("p")
for number in count(1):
    sys.stdin.readline()
    writer.add_sample(batch.batch_id, None, sample.model_copy(update={"sample": number}))
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )


def query(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        return connection.execute(sql).fetchall()


def test_eight_runs_share_one_fresh_file(tmp_path: Path) -> None:
    path = tmp_path / "artifacts" / "agentlab.db"
    runs = [start(_RUN, str(path), f"batch_{number}", str(SAMPLES)) for number in range(PROCESSES)]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    ended = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert ended == [("", "", 0)] * PROCESSES
    assert query(path, "SELECT count(*) FROM samples") == [(PROCESSES * SAMPLES,)]
    for number in range(PROCESSES):
        assert len(load_report(path, f"batch_{number}").scenarios[0].samples) == SAMPLES


def test_a_killed_run_leaves_its_finished_samples(tmp_path: Path) -> None:
    path = tmp_path / "agentlab.db"
    run = start(_ENDLESS_RUN, str(path))
    assert run.stdin is not None
    assert run.stdout is not None
    assert run.stdout.readline() == "open\n"
    run.stdin.write("sample\n" * 20)
    run.stdin.flush()
    wait_for_samples(path, 20)
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=30)

    batch_id = make_batch().batch_id
    assert query(path, "SELECT batch_id, ended_at FROM batches") == [(batch_id, None)]
    assert query(path, "SELECT count(*) FROM samples WHERE status = 'passed'") == [(20,)]
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    # and the next run is not held up by the one that died
    with StoreWriter.open(path) as writer:
        report = make_report(make_row("p")).model_copy(update={"batch_id": "next"})
        writer.start_batch(make_batch(batch_id="next"))
        writer.add_sample("next", None, make_samples("p")[0])
        writer.finish_batch(report)
    assert load_report(path, "next") == report


def wait_for_samples(path: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if query(path, "SELECT count(*) FROM samples") == [(count,)]:
            return
        time.sleep(0.01)
    raise AssertionError("the samples were not stored")


def test_eight_commands_share_one_fresh_database(tmp_path: Path) -> None:
    mock = {"name": "mock", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
    folder = write_project(tmp_path, {"agents": [mock]}, [conversation("a.one")])
    runs = [start_agentlab(folder, "run", "-k", "50", "--report-dir", f"report-{n}") for n in range(8)]
    ended = [wait_for(process, folder) for process in runs]
    assert [(each.code, each.err) for each in ended] == [(0, "")] * 8
    with closing(sqlite3.connect(folder / "artifacts" / "agentlab.db")) as database:
        (counts,) = database.execute(
            "SELECT COUNT(*), COUNT(DISTINCT run_id), COUNT(DISTINCT batch_id) FROM samples"
        )
    assert counts == (400, 400, 8)
