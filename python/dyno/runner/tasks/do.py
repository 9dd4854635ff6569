"""One task, from the server's state before it to its state after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dyno.client import SqlError
from dyno.errors import ServerError, words_of
from dyno.runner.bench import Bench
from dyno.runner.record import Record
from dyno.runner.sessions import session_id
from dyno.runner.sizes import table_sizes
from dyno.runner.tasks.checkpoint import do_checkpoint
from dyno.runner.tasks.done import Cancel, Done, Work
from dyno.runner.tasks.sampling import Sampling
from dyno.runner.tasks.search import do_search
from dyno.runner.tasks.sql import do_sql, set_up
from dyno.servers import ReadableServer
from dyno.spec.task import Task
from dyno.store.trial import TableSize, TaskRun

# The counters that a task can move, and those whose final value says how it went.
MOVED = ("innodb_", "handler_", "com_")
LEFT_STANDING = ("innodb_defragment_", "innodb_onlineddl_")
# The name under which a trial stores why there is no progress.
PROGRESS = "progress of tasks"

Status = dict[str, int | float]


@dataclass
class Workplace:
    """Where the tasks of a trial are done: the arm's server, which a task may restart.

    `partial` is the trial's folder, where a server's log continues.
    """

    bench: Bench
    partial: Path
    record: Record
    say: Callable[[str], None]

    def skip(self, task: Task, why: str) -> None:
        """Note a task that was never started."""
        run = TaskRun(name=task.name, elapsed_s=0.0, outcome="not run", message=why)
        self.record.tasks.append(run)


def do_alone(place: Workplace, tasks: Iterable[Task]) -> None:
    """Tasks without a load, one after the other; none if the load before them failed.

    Raises ServerError if a server doesn't come back from a restart.
    """
    load = place.record.load
    for task in tasks:
        if not place.bench.is_alive:
            place.skip(task, "the server was dead")
        elif load is not None and load.failure is not None:
            place.skip(task, f"the load failed: {load.failure}")
        else:
            do_task(place, task, Cancel())


def do_task(
    place: Workplace,
    task: Task,
    cancel: Cancel,
    *,
    load_t_s: Callable[[float], float] | None = None,
) -> None:
    """Do a task and note it in the record, however it ended. `load_t_s` converts a time of this
    process to the load's clock.
    """
    place.say(f"task: {task.name}")
    sizes_before = _sizes(place)
    before = _status(place.bench.server)
    restarts = task.do in ("restart", "crash")
    lost: ServerError | None = None
    begun_s = time.monotonic()
    try:
        work = _work(place, task, cancel)
    except SqlError as error:  # Lost before or after what is timed.
        elapsed_s = time.monotonic() - begun_s
        work = Work(Done("failed", begun_s, elapsed_s, error.code, error.words))
    except ServerError as error:
        lost = error
        elapsed_s = time.monotonic() - begun_s
        work = Work(Done("failed", begun_s, elapsed_s, message=error.message))
    done = work.done
    after = _status(place.bench.server) if lost is None else {}
    place.record.tasks.append(
        TaskRun(
            name=task.name,
            start_s=round(load_t_s(done.begun_s), 4) if load_t_s is not None else None,
            elapsed_s=round(done.elapsed_s, 6),
            outcome=done.outcome,
            code=done.code,
            message=done.message,
            progress=work.progress,
            status=_moved({} if restarts else before, after),
            status_after={k: v for k, v in after.items() if k.lower().startswith(LEFT_STANDING)},
            sizes_before=sizes_before,
            sizes_after=_sizes(place) if lost is None else [],
            attempts=work.attempts,
            least=work.least,
        )
    )
    if lost is not None and restarts:
        raise lost


def _work(place: Workplace, task: Task, cancel: Cancel) -> Work:
    if task.least is not None:
        return do_search(place.bench, place.bench.server, task, cancel, say=place.say)
    if task.do is None:
        return _sql(place, task, cancel)
    if task.do == "checkpoint":
        return Work(do_checkpoint(place.bench.server, timeout_s=task.timeout, cancel=cancel))
    return Work(_start_again(place, task))


def _sql(place: Workplace, task: Task, cancel: Cancel) -> Work:
    """The task's statements on their own connection, watched from another one."""
    server = place.bench.server
    # The task decides how long it may take.
    with closing(server.admin(place.bench.schema, answer_s=None)) as connection:
        begun_s = time.monotonic()
        try:
            set_up(connection, place.bench.arm.session | task.session)
            sampling = Sampling(server, session_id(connection))
        except SqlError as error:
            return Work(Done("failed", begun_s, 0.0, error.code, error.words))
        with sampling:
            done = do_sql(
                server, connection, task.statements, timeout_s=task.timeout, cancel=cancel
            )
    if sampling.missing is not None:
        place.record.missing[PROGRESS] = sampling.missing
    return Work(done, sampling.of(done.begun_s))


def _start_again(place: Workplace, task: Task) -> Done:
    """Until the server answers a query."""
    begun_s = time.monotonic()
    clean = place.bench.start_again(
        run_dir=place.partial, crash=task.do == "crash", timeout_s=task.timeout
    )
    with closing(place.bench.server.admin()) as connection:
        connection.query("SELECT 1")
    elapsed_s = time.monotonic() - begun_s
    if clean:
        return Done("ok", begun_s, elapsed_s)
    return Done("timeout", begun_s, elapsed_s, message="no clean shutdown in time, so killed")


def _status(server: ReadableServer) -> Status:
    """The numeric part of SHOW GLOBAL STATUS; nothing if it can't be read."""
    try:
        with closing(server.admin()) as connection:
            rows = connection.rows("SHOW GLOBAL STATUS")
    except ServerError:
        return {}
    found: Status = {}
    for name, value in rows:
        number = _number(str(value))
        if number is not None and str(name).lower().startswith(MOVED):
            found[str(name)] = number
    return found


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _moved(before: Status, after: Status) -> Status:
    """By how much they moved; what didn't move is left out."""
    moved = {name: value - before.get(name, 0) for name, value in after.items()}
    return {name: by for name, by in moved.items() if by}


def _sizes(place: Workplace) -> list[TableSize]:
    """The tables now. Their rows aren't counted: that would read them all into memory."""
    bench = place.bench
    try:
        return table_sizes(bench.server, bench.schema, data_dir=bench.data_dir, stays=True)
    except (ServerError, OSError) as error:
        place.record.missing["table sizes around tasks"] = words_of(error)
        return []
