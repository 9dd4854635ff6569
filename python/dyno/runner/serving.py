"""Which threads of a server serve the connections of the load, and what they do while it runs."""

from __future__ import annotations

from contextlib import closing

from dyno.client import reads_answers
from dyno.errors import ServerError
from dyno.runner.bench import Bench
from dyno.telemetry import Waits, WaitsRead

# Longer than a busy server takes to answer.
ANSWER_S = 5.0
_OF_PRODUCT = {
    "mariadb": "SELECT TID FROM information_schema.PROCESSLIST WHERE DB = %s",
    "mysql": (
        "SELECT THREAD_OS_ID FROM performance_schema.threads "
        "WHERE PROCESSLIST_DB = %s AND THREAD_OS_ID IS NOT NULL"
    ),
}


@reads_answers
def serving_threads(bench: Bench, connections: int) -> list[int]:
    """Their ids as the kernel knows them, perhaps with one that only answers questions.

    Raises ServerError if the server doesn't say, or doesn't give each connection a thread.
    """
    question = _OF_PRODUCT[bench.server.product]
    with closing(bench.server.admin(answer_s=ANSWER_S)) as connection:
        found = {int(thread) for (thread,) in connection.rows(question, bench.schema) if thread}
    if len(found) < connections:
        hint = "MySQL needs 5.7 or later, and its performance schema"
        raise ServerError(
            f"the server names {len(found)} threads for {connections} connections", hint=hint
        )
    return sorted(found)


class Serving:
    """The waits of a load's threads: found as it warms up, watched while it is measured.

    It never raises: `unavailable` says why there is nothing.
    """

    def __init__(self, bench: Bench, connections: int) -> None:
        self._bench = bench
        self._connections = connections
        self._waits: Waits | None = None
        self.unavailable: str | None = "the load ended before it was measured"

    def find(self) -> None:
        """Ask the server for the threads, if that wasn't done."""
        pid = self._bench.pid
        if self._waits is not None or pid is None:
            return
        try:
            threads = serving_threads(self._bench, self._connections)
            self._waits = Waits(pid, threads, busiest=self._connections)
        except ServerError as error:
            self.unavailable = error.message

    def start(self) -> None:
        """What counts begins now."""
        if self._waits is not None:
            self._waits.start()

    def stop(self) -> WaitsRead | None:
        """What counts ends now."""
        if self._waits is None:
            return None
        self.unavailable = None
        return self._waits.stop()

    def abandon(self) -> None:
        """Look no more, however the load ended."""
        if self._waits is not None:
            self._waits.abandon()
