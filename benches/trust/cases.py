"""What is tried: workloads as experiments of two arms, small enough for many sessions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benches.trust.plant import PLAIN, SLOW

HEAD = """
title = "trust"
question = "Are these servers equal?"
[settings]
innodb_buffer_pool_size = "256M"
innodb_flush_log_at_trx_commit = 2
max_connections = 300
[[arm]]
name = "one"
baseline = true
server = "{plain}"
[[arm]]
name = "other"
server = "{other}"
"""
# Without profiles: a trial is over in two thirds of the time.
LOAD = """
[protocol]
blocks = {{ first = {first}, last = {last} }}
budget = "4h"
control = false
profile = false
placement = "{placement}"
awake = {awake}
"""
OLTP = """
[workload]
kind = "oltp"
script = "{script}"
tables = 1
table_size = 20000
[sweep]
connections = [{levels}]
"""
PHASES = 'warmup = "500ms"\nduration = "{seconds}s"\n'
STATEMENTS = """
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 60000
create = "CREATE TABLE t (id INT, v VARCHAR(40)) ENGINE=MyISAM"
columns = [
  {{ name = "id", generate = "int", min = 0, max = 999999 }},
  {{ name = "v", generate = "hex", length = 20, distinct = 1000000 }},
]
[[workload.statement]]
name = "group"
sql = "SELECT id % 100 k, count(*), sum(length(v)) FROM t GROUP BY k"
[[workload.statement]]
name = "scan"
sql = "SELECT count(*) FROM t WHERE v LIKE '%abc%'"
[[workload.statement]]
name = "sort"
sql = "SELECT max(x) FROM (SELECT crc32(v) x FROM t ORDER BY v LIMIT 50000) s"
"""
ROUNDS = "rounds = 5\nwarmup_rounds = 1\n"
TPCC = """
[workload]
kind = "tpcc"
warehouses = 1
"""
LINKBENCH = """
[workload]
kind = "linkbench"
ids = 10000
"""
TASKS = OLTP.replace("[sweep]\nconnections = [{levels}]\n", "") + (
    '[[task]]\nname = "rebuild"\nsql = "ALTER TABLE sbtest1 ENGINE=InnoDB"\n'
)
PLACEMENTS = {"free": ("free", False), "split": ("split", True)}


@dataclass(frozen=True)
class Case:
    """A workload: its part of the experiment, the keys of its protocol, the seconds of a trial, in
    how many rounds its arms are equal, in how many an effect is planted, and where it is tried.
    `like` is a shorter case of the same load: what an op takes longer is measured with that one.
    """

    name: str
    workload: str
    keys: str
    script: str = ""
    levels: str = ""
    seconds: float = 2
    rounds: int = 4
    planted: int = 0
    placements: tuple[str, ...] = tuple(PLACEMENTS)
    like: str = ""


def _sliced(script: str, level: str) -> Case:
    """At few connections the kernel places each start differently: so many slices that all
    placements are in a block. A level by itself, since an effect has its size at one.
    """
    return Case(
        f"sliced_{script}_{level}",
        OLTP,
        PHASES + "slices = 48\n",
        f"oltp_{script}",
        level,
        seconds=0.5,
        rounds=1,
        planted=4,
        placements=("free",),
    )


# Nowhere else does a slice differ as much from the next.
UNSTEADIEST = _sliced("read_write", "2")
MANY_SLICES = replace(
    UNSTEADIEST,
    name="sliced_220_read_write_2",
    keys=PHASES + "slices = 220\n",
    planted=2,
    like=UNSTEADIEST.name,
)
FEW = [(script, level) for script in ("point_select", "read_write") for level in ("1", "2", "4")]
LEVELS = "1, 16, 64"
CASES = {
    case.name: case
    for case in (
        Case("statements", STATEMENTS, ROUNDS, rounds=26, planted=10),
        Case("point_select", OLTP, PHASES, "oltp_point_select", LEVELS, seconds=1, planted=4),
        Case("read_write", OLTP, PHASES, "oltp_read_write", LEVELS, seconds=1, planted=4),
        Case("few_point_select", OLTP, PHASES, "oltp_point_select", "2, 4"),
        Case("few_read_write", OLTP, PHASES, "oltp_read_write", "2, 4"),
        Case("tpcc", TPCC, "connections = 4\n" + PHASES, seconds=4),
        Case("linkbench", LINKBENCH, "connections = 4\n" + PHASES, seconds=3),
        Case("tasks", TASKS, "connections = 1\n" + PHASES, "oltp_read_only"),
        *(_sliced(script, level) for script, level in FEW),
        MANY_SLICES,
    )
}


def experiment(case: Case, placement: str, *, planted: bool, last: int) -> str:
    """The TOML of a session; its second arm is the slow one where an effect is planted."""
    where, awake = PLACEMENTS[placement]
    parts = (HEAD, case.workload, LOAD + case.keys)
    return "".join(parts).format(
        plain=PLAIN,
        other=SLOW if planted else PLAIN,
        script=case.script,
        levels=case.levels,
        seconds=case.seconds,
        first=min(8, last),
        last=last,
        placement=where,
        awake=str(awake).lower(),
    )
