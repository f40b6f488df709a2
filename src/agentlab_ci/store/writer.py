"""The one writer of a run: a thread of its own, so that no disk and no other process's lock holds up the run."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from agentlab_ci.core.results import BatchFacts, RunReport, SampleResult
from agentlab_ci.store import rows
from agentlab_ci.store.database import open_database
from agentlab_ci.store.transaction import is_busy, transaction

CLOSE_SECONDS = 10.0
_NAMED = 5

_Write = Callable[[sqlite3.Connection], None]


class StoreWriter:
    """Stores a run as it happens: each call returns at once, and what it brings is one transaction, in order.

    While another process holds the lock a write is tried again, until `close` gives up. Leaving a `with` block
    closes too, but only `close` tells what could not be stored.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._queue: SimpleQueue[tuple[int, _Write, Future[None]] | None] = SimpleQueue()
        self._numbers = count()
        self._unstored: dict[int, str] = {}
        self._problem = "it takes too long"
        self._giving_up = threading.Event()
        self._thread = threading.Thread(target=self._work, name="agentlab-store", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: Path, *, give_up: Callable[[], bool] = lambda: False) -> Self:
        """Open the database, made where it is missing.

        Raises BadInputError when it cannot be used, and when `give_up` says not to wait for other processes.
        """
        return cls(open_database(path, give_up=give_up), path)

    def start_batch(self, facts: BatchFacts) -> None:
        """Store that a batch runs; its `ended_at` counts only when it is finished."""
        self._enqueue("the start of the batch", lambda connection: rows.write_batch_start(connection, facts))

    def add_sample(self, batch_id: str, variant: str | None, sample: SampleResult) -> Future[None]:
        """Store a sample, in place of an earlier result of the same sample.

        The future is done once the sample is stored, or lost; `close` tells which.
        """
        return self._enqueue(
            f"sample {sample.sample}/{sample.of} of {sample.scenario_id}",
            lambda connection: rows.write_sample(connection, batch_id, variant, sample),
        )

    def finish_batch(self, report: RunReport) -> None:
        """Store the end of a batch with all that its report holds, samples that never ran included."""
        self._enqueue("the end of the batch", lambda connection: rows.write_report(connection, report))

    def close(self, timeout: float = CLOSE_SECONDS) -> str | None:
        """Wait for up to `timeout` seconds until all is stored, and let go of the file.

        Returns what could not be stored and why, for people; None if nothing is missing. May be called again.
        """
        self._queue.put(None)
        self._thread.join(timeout)
        self._giving_up.set()
        lost = list(self._unstored.values())
        if not lost:
            return None
        named = ", ".join(lost[:_NAMED]) + (f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else "")
        return f"not stored in {self._path} ({self._problem}): {named}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _enqueue(self, what: str, write: _Write) -> Future[None]:
        number = next(self._numbers)
        self._unstored[number] = what
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # whoever stops waiting does not stop the write
        self._queue.put((number, write, done))
        return done

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            number, write, done = item
            if self._store(write):
                del self._unstored[number]
            done.set_result(None)
        self._connection.close()

    def _store(self, write: _Write) -> bool:
        while not self._giving_up.is_set():
            try:
                with transaction(self._connection):
                    write(self._connection)
            except Exception as problem:  # noqa: BLE001 - one row that cannot be written must not cost the others
                self._problem = str(problem) or type(problem).__name__
                if not is_busy(problem):
                    return False
            else:
                return True
        return False
