"""Samples the progress that the server reports for a running task, on its own connection.

What can't be sampled leaves a reason; it never stops a task.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from dyno.client import Connection, SqlError
from dyno.errors import ServerError
from dyno.servers import ReadableServer
from dyno.spec.changed import changed
from dyno.store.trial import Progress
from dyno.watch.reading import Job, Reader, Reading

# The longest wait between samples. A short task is sampled after a tenth of its time so far, so
# that it gives a curve, too, but no more often than the server can easily answer.
EVERY_S = 0.2
EVERY_LEAST_S = 0.05
EVERY_SHARE = 0.1
# How long the last reading may take when the task is over.
PATIENCE_S = 5.0


class Sampling:
    """Samples of the session `thread_id` from `begin` on. A context manager: leaving it ends it."""

    def __init__(self, server: ReadableServer, thread_id: int) -> None:
        self.samples: list[Progress] = []
        self.missing: str | None = None
        self._thread_id = thread_id
        self._over = threading.Event()
        self._begun_s = 0.0
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        try:
            self._connection = server.admin()
            self._reader = Reader(self._connection, server.version, long_s=0.0)
        except ServerError as error:
            self.missing = error.words

    def __enter__(self) -> Self:
        """Begin, as the task does."""
        self._begun_s = time.monotonic()
        if self.missing is None:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End, however the task ended."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE_S)
        # Not while the thread still reads from it.
        if self._connection is not None and not self._thread.is_alive():
            self._connection.close()

    def of(self, begun_s: float) -> list[Progress]:
        """The samples, with times since the task's own start."""
        late_s = self._begun_s - begun_s
        moved = [changed(s, t_s=round(s.t_s + late_s, 4)) for s in self.samples]
        return [sample for sample in moved if sample.t_s >= 0]

    def _run(self) -> None:
        due_s = time.monotonic()
        while not self._over.is_set():
            try:
                reading = self._reader.read()
            except SqlError as error:
                self.missing = self.missing or error.words
                return
            t_s = time.monotonic() - self._begun_s
            job = next((job for job in reading.jobs if job.id == self._thread_id), None)
            if job is not None and not self._over.is_set():
                self.samples.append(_sample(t_s, job, reading))
            due_s += every_s(t_s)
            self._over.wait(max(due_s - time.monotonic(), 0.01))


def every_s(elapsed_s: float) -> float:
    """How long to wait for the next sample of a task that has run this long."""
    return min(max(EVERY_SHARE * elapsed_s, EVERY_LEAST_S), EVERY_S)


def _sample(t_s: float, job: Job, reading: Reading) -> Progress:
    behind = [waiting.state for waiting in reading.waiting if waiting.behind == job.id]
    return Progress(
        t_s=t_s,
        pct=job.pct,
        stage=job.stage or job.state or None,
        rowlog_pct=reading.rowlog_pct,
        rowlog_rows=reading.rowlog_rows,
        source=job.source,
        waiting=len(behind),
        waiting_for=behind[0].removeprefix("Waiting for ") if behind else None,
    )
