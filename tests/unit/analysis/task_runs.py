"""Run folders with tasks beside a load, with known truth: what each second had is given.

Every trial lasts 20 s: 5 s undisturbed, five seconds of `add an index`, 3 s, two of `add a column`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from load_runs import BEGIN_S, OP, histogram, intervals, load_run, plan

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.spec.events import IntervalOp
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import Progress, ServerRead, TableSize, TaskRun, Trial

INDEX, COLUMN, CHECKPOINT = "add an index", "add a column", "checkpoint"
TASKS = """
title = "Online DDL"
question = "What does it do to the load beside it?"
[[arm]]
name = "a"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "b"
server = "mysql-5.6.24"
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 1
table_size = 1000
[[task]]
name = "checkpoint"
do = "checkpoint"
compare = "nothing"
[[task]]
name = "add an index"
sql = "ALTER TABLE sbtest1 ADD INDEX k2 (k), ALGORITHM=INPLACE, LOCK=NONE"
beside = true
before = "4s"
after = "3s"
[[task]]
name = "add a column"
sql = "ALTER TABLE sbtest1 ADD COLUMN d INT, ALGORITHM=INPLACE, LOCK=NONE"
beside = true
before = "3s"
after = "3s"
timeout = "1m"
[protocol]
connections = 4
"""
# Ops a second of an arm: undisturbed, and beside the index.
PER_S = {"a": (1000, 600), "b": (1000, 300)}
# Tenths of a second without an op, at the end of the index on b.
SILENT = range(90, 94)
MS = {"before": 4.0, "during": 12.0}
REFUSED = "Creating index 'k2' required more than 'innodb_online_alter_log_max_size' bytes"


def tenths(arm: str) -> list[int]:
    """Ops that ended, by tenth of a second."""
    usual, less = PER_S[arm]
    ended = [(less if 50 <= i < 100 else usual) // 10 for i in range(200)]
    return [0 if arm == "b" and i in SILENT else n for i, n in enumerate(ended)]


def events(arm: str) -> list[Any]:
    """Ops took 4 ms, and 12 ms beside the index."""
    found = []
    for each in intervals(tenths(arm), ms=MS["before"]):
        if 5 <= each.index < 10:
            count = each.ops[0].count
            late = IntervalOp(
                op=OP, outcome="ok", count=count, histogram=histogram(count, MS["during"])
            )
            each = each.model_copy(update={"ops": [late]})
        found.append(each)
    return found


def progress_of(elapsed_s: float, block: int) -> list[Progress]:
    """Half of it stands at 20 %, then the rest goes by evenly; the server is on another counter
    for the last sample. `block` 1 is the worst: it stands still at 20 % for longer.
    """
    until = 0.5 if block != 1 else 0.6
    samples = []
    for place in range(20):
        share = place / 20
        pct = 20.0 if share <= until else 20 + 80 * (share - until) / (1 - until)
        samples.append(
            Progress(
                t_s=share * elapsed_s,
                pct=pct,
                source="onlineddl",
                stage="altering table",
                rowlog_pct=min(3.0 * place, 40.0),
                rowlog_rows=100 * place,
            )
        )
    return [*samples, Progress(t_s=elapsed_s * 0.99, pct=1.0, source="processlist")]


def tables(size: int) -> list[TableSize]:
    return [
        TableSize(
            table="sbtest1", engine="InnoDB", data_bytes=size, index_bytes=100, disk_bytes=2 * size
        )
    ]


def index(arm: str, block: int) -> TaskRun:
    """Beside the load from its fifth second on; on a a little longer in each block."""
    elapsed_s = 5.0 if arm == "b" else 4.0 + 0.1 * block
    return TaskRun(
        name=INDEX,
        start_s=BEGIN_S + 5.0,
        elapsed_s=elapsed_s,
        outcome="ok",
        progress=progress_of(elapsed_s, block)
        if arm == "a"
        else [Progress(t_s=0.2 * i, stage="altering table") for i in range(20)],
        status={"Innodb_pages_created": 50 + block, "Com_alter_table": 1},
        status_after={"Innodb_defragment_count": 0} if arm == "a" else {},
        sizes_before=tables(1000),
        sizes_after=tables(1500),
    )


def column(arm: str) -> TaskRun:
    """It fails on b, after 2 s."""
    return TaskRun(
        name=COLUMN,
        start_s=BEGIN_S + 13.0,
        elapsed_s=2.0,
        outcome="ok" if arm == "a" else "failed",
        code=None if arm == "a" else 1799,
        message=None if arm == "a" else REFUSED,
        progress=[Progress(t_s=0.5 * i, pct=25.0 * i, source="onlineddl") for i in range(4)]
        if arm == "a"
        else [Progress(t_s=1.0, rowlog_pct=99.5, rowlog_rows=70_000)],
    )


def with_tasks(trial: Trial) -> Trial:
    """The trial with its three tasks; of 10.1.8 and of 5.6.24."""
    product, version = ("mariadb", "10.1.8") if trial.arm == "a" else ("mysql", "5.6.24")
    runs = [
        TaskRun(name=CHECKPOINT, elapsed_s=0.5, outcome="ok"),
        index(trial.arm, trial.block),
        column(trial.arm),
    ]
    server = ServerRead(name="s", product=product, version=version, fingerprint="f")
    return trial.model_copy(update={"tasks": runs, "server": server})


def task_run(
    path: Path,
    *,
    blocks: int = 3,
    text: str = TASKS,
    change: Callable[[Trial], Trial] = with_tasks,
    planned: Plan | None = None,
) -> RunFolder:
    """A folder of such trials; `change` gives each its tasks."""
    return load_run(
        path,
        lambda arm, point, block: tenths(arm),
        blocks=blocks,
        plan=planned or plan(text),
        events=lambda arm, point: events(arm),
        change=change,
    )


@lru_cache(maxsize=1)
def maintenance() -> Findings:
    """The findings of four blocks of such trials."""
    with TemporaryDirectory() as folder:
        return find(task_run(Path(folder), blocks=4))
