"""The one writer of a run, which no other process's lock holds up."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from agentlab_ci.core.results import BatchFacts, RunReport, SampleResult, ScenarioFacts
from agentlab_ci.store import rows
from agentlab_ci.store.database import open_database
from agentlab_ci.store.transaction import is_busy, transaction

CLOSE_SECONDS = 10.0
RETRY_SECONDS = 0.02
"""How long to leave the lock to another process before a write is tried again."""
_NAMED = 5

_Write = Callable[[sqlite3.Connection], None]


class StoreWriter:
    """Stores a run as it happens: what each call brings is one transaction, in order.

    It is written before the call returns: handing it to a thread costs many times as much as the write itself.
    Where another process holds the lock the call returns at once, and a thread tries again until `close` gives up.
    Leaving a `with` block closes too, but only `close` tells what could not be stored.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        connection.execute("PRAGMA busy_timeout = 0")  # SQLite's own waiting would hold up the caller
        self._queue: SimpleQueue[tuple[int, _Write, Future[None]] | None] = SimpleQueue()
        self._last_queued: Future[None] | None = None
        self._numbers = count()
        self._unstored: dict[int, str] = {}
        self._problem = "it takes too long"
        self._file = _identify(path)
        self._giving_up = threading.Event()
        self._thread = threading.Thread(target=self._work, name="agentlab-store", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: Path, *, give_up: Callable[[], bool] = lambda: False) -> Self:
        """Open the database, made where it is missing.

        Raises BadInputError when it cannot be used, and when `give_up` says not to wait for other processes.
        """
        return cls(open_database(path, give_up=give_up), path)

    def start_batch(self, facts: BatchFacts, planned: Sequence[ScenarioFacts] = ()) -> None:
        """Store that a batch runs, and what it will run; its `ended_at` counts only when it is finished."""
        self._store(
            "the start of the batch", lambda connection: rows.write_batch_start(connection, facts, planned)
        )

    def add_sample(self, batch_id: str, variant: str | None, sample: SampleResult) -> Future[None] | None:
        """Store a sample, in place of an earlier result of the same sample.

        Returns a future when that has to wait, done once the sample is stored, or lost; `close` tells which.
        """
        return self._store(
            f"sample {sample.sample}/{sample.of} of {sample.scenario_id}",
            lambda connection: rows.write_sample(connection, batch_id, variant, sample),
        )

    def finish_batch(self, report: RunReport) -> None:
        """Store the end of a batch with all that its report holds, samples that never ran included."""
        self._store("the end of the batch", lambda connection: rows.write_report(connection, report))

    def close(self, timeout: float = CLOSE_SECONDS) -> str | None:
        """Wait for up to `timeout` seconds until all is stored, and let go of the file.

        Returns what could not be stored and why, for people; None if nothing is missing. May be called again.
        """
        self._queue.put(None)
        self._thread.join(timeout)
        self._giving_up.set()
        if _identify(self._path) != self._file:
            return f"the run is not stored: {self._path} was removed or replaced while it went on"
        lost = list(self._unstored.values())
        if not lost:
            return None
        named = ", ".join(lost[:_NAMED]) + (f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else "")
        return f"not stored in {self._path} ({self._problem}): {named}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _store(self, what: str, write: _Write) -> Future[None] | None:
        number = next(self._numbers)
        self._unstored[number] = what
        in_order = self._last_queued is None or self._last_queued.done()
        if in_order and self._try(number, write):
            return None
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # whoever stops waiting does not stop the write
        self._last_queued = done
        self._queue.put((number, write, done))
        return done

    def _try(self, number: int, write: _Write) -> bool:
        """Write, or note why that cannot be; false when another process holds the lock."""
        try:
            with transaction(self._connection):
                write(self._connection)
        except Exception as problem:  # noqa: BLE001 - one row that cannot be written must not cost the others
            self._problem = str(problem) or type(problem).__name__
            return not is_busy(problem)
        del self._unstored[number]
        return True

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            number, write, done = item
            while not self._giving_up.is_set() and not self._try(number, write):
                self._giving_up.wait(RETRY_SECONDS)
            done.set_result(None)
        self._connection.close()


def _identify(path: Path) -> tuple[int, int] | None:
    """Return what tells the file from every other, None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
