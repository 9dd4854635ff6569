"""What a server says about running maintenance at one instant, and the code that asks it.

Returns only what the server says: how long it will take is estimated elsewhere (dyno.watch.eta).
What can't be seen is named, and never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dyno.client import Connection, reads_answers
from dyno.watch.phases import Build
from dyno.watch.sources import Rights, Sources, Thread, find_sources
from dyno.watch.statement import Statement, classify, names_table

# A statement that changes rows is a job once it has run this long.
LONG_S = 1.0
# The states of a server that alters a table in place; only then do its counters apply to it.
# Versions differ in capitals.
IN_PLACE = ("altering table", "committing alter table to storage engine")
COPYING = "copy to tmp table"
# Sources that report on an ALTER in place, up to its last phase.
IN_PLACE_SOURCES = ("onlineddl", "stages")
_METADATA = "metadata lock"


@dataclass(frozen=True)
class Job:
    """One running piece of maintenance or long statement of another session.

    `kind`: alter, optimize, defragment, load, index or other. `table` is schema.table. `pct` (0 to
    100) is of the work that `source` counts: onlineddl, processlist or stages; None: no source.
    `rows_done` of at most `rows_total` rows, if these can be seen. `build`: what an ALTER in
    place builds, if that can be seen. `stages`: how many stages the process list counts.
    `killed`: it is being undone.
    """

    id: int
    user: str
    kind: str
    table: str | None
    sql: str
    state: str
    elapsed_s: float
    pct: float | None
    stage: str | None
    source: str | None
    rows_done: int | None = None
    rows_total: int | None = None
    build: Build | None = None
    stages: int = 0
    killed: bool = False

    def has_restarted(self, before: Job) -> bool:
        """Whether this is the same statement as `before`, in the same session, but restarted."""
        return self.elapsed_s < before.elapsed_s - 1


@dataclass(frozen=True)
class Waiting:
    """A session that waits for a lock; `behind` is the job that it seems to wait for."""

    id: int
    user: str
    sql: str
    state: str
    elapsed_s: float
    behind: int | None = None


@dataclass(frozen=True)
class Reading:
    """Everything at one instant. `missing`: what can't be seen, and why.

    `rowlog_pct` (0 to 100; it may be more, since applied changes stay counted) and `rowlog_rows`
    are those of the one table that is being rebuilt in place; None if there is none, and for an
    added index: the server has a row log for it, too, but doesn't count it. `defragmented`:
    Innodb_defragment_count while a job defragments.
    """

    jobs: tuple[Job, ...]
    rowlog_pct: float | None
    rowlog_rows: int | None
    waiting: tuple[Waiting, ...]
    missing: dict[str, str]
    defragmented: int | None = None


class Reader:
    """Asks over one connection; finds out once which sources this server has.

    `long_s`: how long a statement that changes rows must have run to be a job. All methods raise
    SqlError when the connection does.
    """

    def __init__(self, connection: Connection, version: str, *, long_s: float = LONG_S):
        self._sources: Sources = find_sources(connection, version)
        self._long_s = long_s
        self._defragments = False
        self._totals: dict[tuple[int, str], int | None] = {}
        self._builds: dict[tuple[int, str], Build] = {}
        self._counted: set[tuple[int, str]] = set()

    @property
    def rights(self) -> Rights:
        """What the account may see."""
        return self._sources.rights

    @reads_answers
    def read(self) -> Reading:
        """Ask once."""
        sources = self._sources
        threads = sources.threads()
        # Asking about locks isn't free: only where one may wait for another.
        late = sum(thread.elapsed_s >= LONG_S for thread in threads)
        blocked = sources.lock_waits() if late and len(threads) > 1 else {}
        found = [
            (thread, statement, thread.id not in blocked and self._is_job(thread, statement))
            for thread in threads
            for statement in [classify(thread.sql, thread.database)]
        ]
        doing = [(thread, said) for thread, said, is_job in found if is_job and said is not None]
        others = [thread for thread, _, is_job in found if not is_job]
        in_place = [thread.id for thread, _ in doing if thread.state.lower() in IN_PLACE]
        self._defragments = (
            any(said.kind == "optimize" for _, said in doing) and sources.defragments()
        )
        ddl = sources.onlineddl() if in_place and not self._defragments else {}
        missing = dict(sources.missing)
        if ddl and len(in_place) > 1:
            # These counters are the server's, so with two ALTERs they can't be attributed.
            ddl = {}
            if sources.no_stages is not None:
                missing["progress of each"] = (
                    "several ALTERs share the server's counters; stage events would separate them, "
                    f"but {sources.no_stages}"
                )
        jobs = self._jobs(doing, {in_place[0]: ddl} if ddl else {})
        altered = next((job for job in jobs if ddl and job.id == in_place[0]), None)
        counted = altered is not None and _has_row_log(altered, ddl)
        if altered is not None and altered.pct is not None and not counted:
            missing["row log"] = "the server counts it only for a table that is rebuilt"
        return Reading(
            jobs=jobs,
            rowlog_pct=ddl["rowlog_pct_used"] / 100 if counted else None,
            rowlog_rows=ddl["rowlog_rows"] if counted else None,
            waiting=self._waiting(others, jobs, blocked),
            missing=missing,
            defragmented=sources.defragmented() if self._defragments else None,
        )

    def _is_job(self, thread: Thread, statement: Statement | None) -> bool:
        if statement is None:
            return False
        waits = thread.state.startswith("Waiting for")
        return statement.ddl or (thread.elapsed_s >= self._long_s and not waits)

    def _jobs(
        self, doing: Sequence[tuple[Thread, Statement]], ddl: dict[int, dict[str, int]]
    ) -> tuple[Job, ...]:
        stages = self._sources.stages() if doing else {}
        jobs = []
        for thread, said in doing:
            kind = "defragment" if said.kind == "optimize" and self._defragments else said.kind
            pct, stage, source = self._progress(thread, ddl.get(thread.id, {}), stages)
            rows = self._rows(thread, said) if pct is None else (None, None)
            jobs.append(
                Job(
                    id=thread.id,
                    user=thread.user,
                    kind=kind,
                    table=said.table,
                    sql=thread.sql,
                    state=thread.state,
                    elapsed_s=thread.elapsed_s,
                    pct=pct,
                    stage=stage,
                    source=source,
                    rows_done=rows[0],
                    rows_total=rows[1],
                    build=self._build(thread, said) if source in IN_PLACE_SOURCES else None,
                    stages=thread.stages if source == "processlist" else 0,
                    killed=thread.killed,
                )
            )
        self._forget({(job.id, job.sql) for job in jobs})
        return tuple(jobs)

    def _progress(
        self, thread: Thread, ddl: dict[str, int], stages: dict[int, tuple[str, float | None]]
    ) -> tuple[float | None, str | None, str | None]:
        """Percentage, stage and source, from the first source that reports on it."""
        words, pct = stages.get(thread.id, (None, None))
        if words is not None and (pct is not None or not ddl):
            return pct, words, "stages"
        if ddl:
            return self._counter(thread, ddl["pct_progress"]), thread.state, "onlineddl"
        if thread.stages > 0:
            pct = ((thread.stage - 1) * 100 + thread.stage_pct) / thread.stages
            words = thread.state
            if thread.stages > 1:
                words = f"{thread.stage} of {thread.stages}: {words}"
            return min(max(pct, 0.0), 100.0), words, "processlist"
        return None, thread.state or None, None

    def _counter(self, thread: Thread, progress: int) -> float | None:
        """In percent; None once the server has reset it, which it does before the work has ended:
        changes are still applied, and the table exchanged.
        """
        key = (thread.id, thread.sql)
        if progress:
            self._counted.add(key)
        elif key in self._counted or thread.state.lower() != IN_PLACE[0]:
            return None
        return min(progress / 100, 100.0)

    def _rows(self, thread: Thread, said: Statement) -> tuple[int | None, int | None]:
        """How many rows are done, out of at most how many: by what is known of the session."""
        done: int | None = None
        if said.ddl:
            # Only then is there a second table whose rows can be counted.
            if thread.state == COPYING:
                done = self._sources.copied_rows(said.table, thread.id)
        elif said.kind == "load":
            return self._sources.changed_rows(thread.id), None
        else:
            done = thread.examined or self._sources.changed_rows(thread.id)
        if done is None:
            return None, None
        key = (thread.id, thread.sql)
        if self._totals.get(key) is None:
            # Once, at its start: a DELETE's table gets smaller.
            self._totals[key] = self._sources.table_rows(said.table)
        return done, self._totals[key]

    def _build(self, thread: Thread, said: Statement) -> Build | None:
        key = (thread.id, thread.sql)
        if key not in self._builds:
            found = self._sources.build(said.table)
            if found is None:
                return None
            self._builds[key] = found
        return self._builds[key]

    def _forget(self, running: set[tuple[int, str]]) -> None:
        self._totals = {key: rows for key, rows in self._totals.items() if key in running}
        self._builds = {key: build for key, build in self._builds.items() if key in running}
        self._counted &= running

    def _waiting(
        self, others: Sequence[Thread], jobs: tuple[Job, ...], blocked: dict[int, int]
    ) -> tuple[Waiting, ...]:
        """Who waits for a metadata lock, or for a row that a job has locked."""
        running = {job.id for job in jobs}
        waiting = []
        for thread in others:
            if _METADATA in thread.state:
                named = (j.id for j in jobs if j.table and names_table(thread.sql, j.table))
                waiting.append(_waiting(thread, next(named, None)))
            elif blocked.get(thread.id) in running:
                waiting.append(_waiting(thread, blocked[thread.id]))
        return tuple(waiting)


def _has_row_log(job: Job, ddl: dict[str, int]) -> bool:
    """Whether the counters are those of this job's row log."""
    if job.pct is None or "rowlog_pct_used" not in ddl:
        return False
    return job.build.rebuilds if job.build is not None else ddl["rowlog_rows"] > 0


def _waiting(thread: Thread, behind: int | None) -> Waiting:
    shown: dict[str, Any] = {"id": thread.id, "user": thread.user, "sql": thread.sql}
    return Waiting(**shown, state=thread.state, elapsed_s=thread.elapsed_s, behind=behind)
