"""Experiments whose run folders are damaged: one of each workload, all as short as they can be."""

from __future__ import annotations

_HEAD = """
title = "{kind}"
question = "Are two servers equal?"
[[arm]]
name = "A"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "B"
server = "mysql-5.6.24"
{more}
[workload]
kind = "{kind}"
"""
_PROTOCOL = """
[protocol]
connections = 2
blocks = { first = 1, last = 1 }
warmup = "1s"
duration = "3s"
"""
_OLTP = """
script = "oltp_read_write"
tables = 2
table_size = 500
[[task]]
name = "optimize"
sql = "OPTIMIZE TABLE sbtest1"
beside = true
before = "1s"
after = "1s"
[sweep]
connections = [1, 4]
[[claim]]
says = "A fsyncs"
of = "A"
status = "Innodb_data_fsyncs"
op = "oltp_read_write"
at = 4
at_least = 1
[protocol]
blocks = { first = 2, last = 2 }
warmup = "1s"
loads = 1
"""
_STATEMENTS = """
[[workload.table]]
name = "t"
rows = 2000
create = "CREATE TABLE t (id INT, v VARCHAR(200)) ENGINE={engine}"
columns = [
  { name = "id", generate = "int", min = 0, max = 999 },
  { name = "v", generate = "hex", length = 20, distinct = 1000000 },
]
[[workload.statement]]
name = "sum"
sql = "SELECT id % 10 k, count(*), sum(length(v)) FROM t GROUP BY k"
[[workload.statement]]
name = "one"
sql = "SELECT count(*) FROM t"
[[task]]
name = "index"
sql = "ALTER TABLE t ADD INDEX (id)"
[[claim]]
says = "B is as fast"
op = "sum"
ratio_of = ["A", "B"]
between = [0.1, 10.0]
[protocol]
blocks = { first = 2, last = 2 }
rounds = 3
"""


def _with(kind: str, body: str, more: str = "") -> str:
    return _HEAD.format(kind=kind, more=more) + body


EXPERIMENTS = {
    "statements": _with("statements", _STATEMENTS, 'engine = "InnoDB"'),
    "oltp": _with("oltp", _OLTP),
    "tpcc": _with("tpcc", "warehouses = 1\n" + _PROTOCOL),
    "linkbench": _with("linkbench", "ids = 1000\n" + _PROTOCOL),
}
