"""Tasks: named, timed pieces of maintenance that a trial does once, alone or beside its load.

Only the keys of a file, and which of them can be combined. Nothing is done here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.least import Least
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import OpName, Settings, Strict, mistake
from dyno.spec.units import DurationSeconds

# How long a load beside tasks may last if protocol.duration doesn't say.
LONGEST_S = 900.0
# How long the load runs undisturbed on either side of a task, unless the task says otherwise.
UNDISTURBED_S = 5.0


class Task(Strict):
    """A named, timed piece of maintenance: SQL, or something that is done to the server. Every
    trial does it once, alone or beside the workload's load. It has either `sql` or `do`. In which
    order tasks are done, and what becomes of one that fails:
    [maintenance](../guides/maintenance.md#write-a-task).
    """

    name: OpName = Field(
        description="What reports and claims call it. Unique, and not the name of an op."
    )
    says: str | None = Field(None, description="What it is for, for the reader.")
    sql: str | list[str] | None = Field(
        None,
        description="A statement, or a list of them: run in order by one connection, and timed "
        "together.",
    )
    do: Literal["checkpoint", "restart", "crash"] | None = Field(
        None,
        description='`"checkpoint"`: wait until no page is dirty and the log is at its checkpoint, '
        'with `innodb_max_dirty_pages_pct` at 0 meanwhile. `"restart"`: shut down, start, until it '
        'answers a query. `"crash"`: kill -9, then the same, so recovery is in its time.',
    )
    least: Least | None = Field(
        None,
        description="The SQL is tried at several values of a global variable, and the least one at "
        "which it succeeds is found.",
    )
    undo: str | list[str] | None = Field(
        None, description="With `least`: SQL that takes back what `sql` did. It isn't timed."
    )
    beside: bool = Field(
        False,
        description="True: the load runs beside it. Not with restart and crash, nor with "
        "statements, which make no load.",
    )
    before: DurationSeconds = Field(
        UNDISTURBED_S,
        description="With `beside`: how long the load runs undisturbed before it. Between two "
        "tasks the longer of `after` and `before` counts.",
    )
    after: DurationSeconds = Field(
        UNDISTURBED_S, description="With `beside`: how long the load runs undisturbed after it."
    )
    timeout: Annotated[DurationSeconds, Field(gt=0)] = Field(
        600.0,
        description="After this time it is killed (KILL QUERY), and what was killed may take time "
        "to undo. Of a search: all attempts together.",
    )
    session: Settings = Field(
        {}, description="Session settings of its connection, over those of the arm."
    )
    arms: list[str] = Field(
        [],
        description="Only these arms do it; else all. A load lasts as long on the others, which "
        "shows what doing nothing is like. A run that has none of them leaves the task out.",
    )
    compare: Literal["time", "nothing"] = Field(
        "time", description='`"nothing"`: it prepares, and arms aren\'t compared by its time.'
    )

    @model_validator(mode="after")
    def _one_thing_to_do(self) -> Task:
        if (self.sql is None) == (self.do is None):
            found = "neither" if self.sql is None else "both"
            raise mistake(
                f"task {self.name!r} has either sql or do, found {found}",
                hint='write sql = "OPTIMIZE TABLE …", or do = "checkpoint"',
            )
        for given, statements in ((self.sql, self.statements), (self.undo, self.undoing)):
            if given is not None and not all(text.strip() for text in statements or [""]):
                raise mistake(f"task {self.name!r}: an empty statement", hint="write its SQL")
        return self

    @model_validator(mode="after")
    def _a_search_can_be_undone(self) -> Task:
        if self.least is not None and self.do is not None:
            raise mistake(
                f"task {self.name!r}: least goes with sql, and it does a {self.do}",
                hint="leave out least",
            )
        if self.least is not None and self.undo is None:
            raise mistake(
                f"task {self.name!r}: least tries its sql several times, and nothing undoes it",
                hint='add undo = "…", the SQL that takes back what sql did',
            )
        if self.undo is not None and self.least is None:
            raise mistake(
                f"task {self.name!r}: undo goes with least, and sql is done once",
                hint="leave out undo, or make it a task of its own",
            )
        return self

    @model_validator(mode="after")
    def _keys_suit_what_is_done(self) -> Task:
        if self.do in ("restart", "crash") and self.beside:
            raise mistake(
                f"task {self.name!r}: no load can run beside a {self.do}",
                hint="leave out beside",
            )
        if self.do is not None and self.session:
            raise mistake(
                f"task {self.name!r}: session goes with sql, and it does a {self.do}",
                hint="leave out session",
            )
        for key in ("before", "after"):
            # A stored plan has every key, so one at its default means nothing.
            if getattr(self, key) != UNDISTURBED_S and not self.beside:
                raise mistake(
                    f"task {self.name!r}: {key} is how long the load runs {key} the task, and "
                    "none runs beside it",
                    hint=f"add beside = true, or leave out {key}",
                )
        return self

    @property
    def statements(self) -> list[str]:
        """The SQL, statement by statement; none if something is done to the server."""
        return _listed(self.sql)

    @property
    def undoing(self) -> list[str]:
        """The SQL that undoes it, statement by statement; only searches have any."""
        return _listed(self.undo)

    @property
    def doing(self) -> str:
        """What is done, in one line."""
        if self.least is not None:
            tried = f"SET GLOBAL {self.least.variable} = …"
            return "; ".join((tried, *self.statements, *self.undoing))
        return "; ".join(self.statements) or str(self.do)

    @property
    def attempts(self) -> int:
        """How often its SQL is run."""
        return 1 if self.least is None else self.least.attempts

    @property
    def metrics(self) -> tuple[MetricKey, ...]:
        """What of it can be compared, the most important one first."""
        if self.least is not None:
            return ("task_least",)
        if self.beside:
            return ("task_time", "throughput_beside", "throughput_kept")
        return ("task_time",)

    def is_for(self, arm: str) -> bool:
        """Whether the arm of that name does it."""
        return not self.arms or arm in self.arms


def _listed(sql: str | list[str] | None) -> list[str]:
    return [sql] if isinstance(sql, str) else list(sql or [])


def done_by(tasks: Iterable[Task], arms: Iterable[str]) -> list[Task]:
    """Those that at least one of the arms does."""
    names = list(arms)
    return [task for task in tasks if any(map(task.is_for, names))]


def beside_load(tasks: Iterable[Task]) -> list[Task]:
    """Those that the load runs beside, in their order."""
    return [task for task in tasks if task.beside]


@dataclass(frozen=True)
class Split:
    """Tasks by when they are done: before the load, while it runs, after it."""

    first: list[Task]
    beside: list[Task]
    last: list[Task]


def around_the_load(tasks: list[Task]) -> Split:
    """Split tasks by the first and the last one beside the load. Without any, all come first, so
    that what they did shows in what is measured.
    """
    marks = [task.beside for task in tasks]
    if True not in marks:
        return Split(first=tasks, beside=[], last=[])
    first, last = marks.index(True), len(marks) - marks[::-1].index(True)
    return Split(first=tasks[:first], beside=tasks[first:last], last=tasks[last:])


def gap_s(task: Task, following: Task) -> float:
    """How long the load runs undisturbed between two tasks beside it."""
    return max(task.after, following.before)


def undisturbed_s(tasks: Iterable[Task]) -> float:
    """How long the load runs in total while no task does: before, between, after."""
    chosen = beside_load(tasks)
    if not chosen:
        return 0.0
    between = sum(gap_s(a, b) for a, b in pairwise(chosen))
    return chosen[0].before + between + chosen[-1].after


def refuse_tasks(tasks: list[Task], *, ops: Iterable[str], has_load: bool) -> None:
    """Raise a mistake for tasks that can't be combined, or not with the workload."""
    names = [task.name for task in tasks]
    known = set(ops)
    for task in tasks:
        if names.count(task.name) > 1:
            raise mistake(f"two tasks are named {task.name!r}", hint="give each its own name")
        if task.name in known:
            raise mistake(
                f"task {task.name!r} has the name of an op", hint="claims need to tell them apart"
            )
        if task.beside and not has_load:
            raise mistake(
                f"task {task.name!r}: statements make no load that could run beside it",
                hint="leave out beside, or use a load workload",
            )
    for task in around_the_load(tasks).beside:
        if not task.beside:
            raise mistake(
                f"task {task.name!r} is alone, between tasks beside the load",
                hint="one load runs beside all of them: move it to before or behind them",
            )
