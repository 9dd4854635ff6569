"""The bundled scripts against sysbench itself: on the same server, event for event the same work.

Work is what the server counted: commands, and calls of its storage engine. Both programs run on
tables of the same content, one connection, and as many events. Ids are drawn evenly over all rows,
because then what depends on them (rows at the end of the table, rows for a value of `k`) has a
known and small scatter; both seeds are fixed, so a comparison comes out the same each time.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate

import pytest
from counted import counted
from loading import Bench, Document, oltp

from dyno.client import Connection
from dyno.servers import Server

ROWS = 10_000
EVENTS = 300
SYSBENCH, DYNOLOAD = "by_sysbench", "by_dynoload"
FAMILIES = ("Com_", "Handler_", "Select_", "Sort_", "Created_tmp_tables", "Created_tmp_disk")
# How many rows a range has depends on its ids: on average 99.5, with a standard deviation of 5.7.
# The mean of 1,200 ranges has one of 0.17, and the difference of two such means one of 0.24 %.
OF_RANGES = {
    "Handler_read_next": 0.01,
    "Handler_read_rnd": 0.02,
    "Handler_read_rnd_next": 0.02,
    "Handler_tmp_write": 0.02,
    "Sort_rows": 0.01,
}
# Where temporary tables are counted by the same name as the others.
OF_RANGES_MYSQL = OF_RANGES | {"Handler_write": 0.02}
# Ten values of k an event, each in about one row, but sometimes in none and sometimes in four; the
# difference of two means of 300 events has a standard deviation of 2.6 %.
OF_VALUES = {
    "Handler_read_next": 0.12,
    "Handler_read_key": 0.01,  # A value that was drawn twice is looked up once.
    "Handler_icp_attempts": 0.12,
    "Handler_icp_match": 0.12,
}
# An id that was deleted before is not found any more: about 4 of 300.
OF_DELETES = {"Handler_delete": 0.03}
# What is counted once a connection. Statements that are executed are compared apart.
APART = {"Com_stmt_prepare", "Com_stmt_close", "Com_stmt_execute", "Com_show_status"}

SCRIPTS: list[tuple[str, bool, dict[str, float]]] = [
    ("oltp_point_select", True, {}),
    ("oltp_read_only", True, OF_RANGES),
    ("select_random_points", True, OF_VALUES),
    ("select_random_points", False, OF_VALUES),
    ("select_random_ranges", True, OF_VALUES),
    ("oltp_update_index", True, {}),
    ("oltp_update_non_index", True, {}),
    ("oltp_write_only", True, {}),
    ("oltp_read_write", True, OF_RANGES),
    ("oltp_read_write", False, OF_RANGES),
    ("oltp_insert", True, {}),
    # The last one, because it leaves fewer rows.
    ("oltp_delete", True, OF_DELETES),
]


@dataclass(frozen=True)
class Pair:
    """A server with two schemas of the same content, and both programs."""

    bench: Bench
    server: Server
    admin: Connection

    def sql(self, text: str) -> list[tuple[object, ...]]:
        with self.admin.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def empty(self) -> None:
        for schema in (SYSBENCH, DYNOLOAD):
            self.sql(f"DROP DATABASE IF EXISTS {schema}")
            self.sql(f"CREATE DATABASE {schema}")

    def sysbench(self, script: str, command: str, *options: str) -> None:
        argv = [
            "sysbench",
            script,
            f"--mysql-socket={self.server.socket}",
            "--mysql-user=root",
            f"--mysql-db={SYSBENCH}",
            f"--table-size={ROWS}",
            "--time=0",
            "--rand-seed=42",
            *options,
            command,
        ]
        done = subprocess.run(
            argv, cwd=self.bench.path, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def dynoload(self, workload: Document, *phases: Document, schema: str = DYNOLOAD) -> None:
        self.bench.run(self.server.socket, workload, list(phases), schema=schema)

    def work(self, run: Callable[[], None]) -> Counter[str]:
        """What the server counts while something runs, of what is compared."""
        found = counted(self.admin, run)
        return Counter({n: v for n, v in found.items() if n.startswith(FAMILIES)})

    @property
    def is_mysql(self) -> bool:
        return self.server.product == "mysql"

    def require_same(
        self,
        theirs: Counter[str],
        ours: Counter[str],
        scatter: dict[str, float],
        *,
        apart: set[str],
    ) -> None:
        """Each count is the same, but for its scatter and those that are compared apart."""
        scatter = OF_RANGES_MYSQL if scatter is OF_RANGES and self.is_mysql else scatter
        for name in sorted((set(theirs) | set(ours)) - apart):
            allowed = scatter.get(name, 0.0) * theirs[name]
            assert abs(ours[name] - theirs[name]) <= allowed, (name, theirs[name], ours[name])


@pytest.fixture(scope="module", params=["mariadb-10.11.5", "mysql-5.6.24"])
def pair(shared_bench: Bench, request: pytest.FixtureRequest) -> Iterator[Pair]:
    with shared_bench.server(request.param) as server, closing(server.admin()) as admin:
        pair = Pair(shared_bench, server, admin)
        pair.empty()
        workload = oltp("oltp_read_write", table_size=ROWS)
        for schema in (SYSBENCH, DYNOLOAD):
            pair.dynoload(workload, {"name": "load"}, schema=schema)
            pair.sql(f"ANALYZE TABLE {schema}.sbtest1")
        yield pair


# Before the others: oltp_delete takes away the ids that the same seed draws again.
@pytest.mark.parametrize(
    ("script", "scatter"),
    [("oltp_point_select", {}), ("oltp_update_index", {}), ("oltp_read_write", OF_RANGES)],
)
def test_an_event_of_a_script_in_lua_is_the_same_work(
    pair: Pair, script: str, scatter: dict[str, float]
) -> None:
    options = ("--rand-type=uniform", f"--events={EVENTS}", "--threads=1")
    theirs = pair.work(lambda: pair.sysbench(script, "run", *options))
    lua = {
        "kind": "sysbench",
        "script": script,
        "options": {"table-size": str(ROWS), "rand-type": "uniform"},
    }
    ours = pair.work(lambda: pair.dynoload(lua, {"name": "measure", "ops": EVENTS}))
    assert theirs["Com_stmt_execute"] >= EVENTS
    pair.require_same(theirs, ours, scatter, apart={"Com_show_status"})


@pytest.mark.parametrize(
    ("script", "prepared", "scatter"),
    SCRIPTS,
    ids=[f"{script}-{'prepared' if prepared else 'text'}" for script, prepared, _ in SCRIPTS],
)
def test_an_event_is_the_same_work(
    pair: Pair, script: str, prepared: bool, scatter: dict[str, float]
) -> None:
    options = ("--rand-type=uniform", f"--events={EVENTS}", "--threads=1")
    mode = "auto" if prepared else "disable"
    theirs = pair.work(lambda: pair.sysbench(script, "run", *options, f"--db-ps-mode={mode}"))
    workload = oltp(script, table_size=ROWS, prepared=prepared)
    ours = pair.work(lambda: pair.dynoload(workload, {"name": "measure", "ops": EVENTS}))

    assert sum(ours.values()) > EVENTS
    pair.require_same(theirs, ours, scatter, apart=APART)

    # sysbench prepares COMMIT, and BEGIN where the server can; here both are text.
    commits = theirs["Com_commit"] * (1 if pair.is_mysql else 2) if prepared else 0
    assert ours["Com_stmt_execute"] == theirs["Com_stmt_execute"] - commits
    assert (ours["Com_stmt_execute"] > 0) == (prepared and script != "oltp_insert")


def test_bulk_insert_sends_buffers_of_the_same_size(pair: Pair) -> None:
    pair.empty()
    rows = 100_000
    pair.sysbench("bulk_insert", "prepare")
    pair.dynoload(oltp("bulk_insert"), {"name": "load"})
    theirs = pair.work(lambda: pair.sysbench("bulk_insert", "run", f"--events={rows}"))
    ours = pair.work(lambda: pair.dynoload(oltp("bulk_insert"), {"name": "measure", "ops": rows}))
    # sysbench sends the rest at its end; here only whole buffers are sent.
    assert ours["Com_insert"] == theirs["Com_insert"] - 1 == 2
    assert pair.sql(f"SELECT COUNT(*) FROM {SYSBENCH}.sbtest1") == [(rows,)]
    ((sent,),) = pair.sql(f"SELECT COUNT(*) FROM {DYNOLOAD}.sbtest1")
    assert sent == ours["Handler_write"]
    # Two buffers of 512 KiB of rows such as "(12345,12345),".
    assert 70_000 < int(str(sent)) < 80_000


@pytest.mark.parametrize(
    "change", [{}, {"auto_inc": False}, {"secondary": True}, {"create_secondary": False}]
)
def test_tables_are_created_alike(pair: Pair, change: dict[str, bool]) -> None:
    pair.empty()
    options = [f"--{key}={'on' if value else 'off'}" for key, value in change.items()]
    pair.sysbench("oltp_read_write", "prepare", "--tables=2", "--table-size=50", *options)
    workload = oltp("oltp_read_write", tables=2, table_size=50, **change)
    pair.dynoload(workload, {"name": "load"})
    for table in ("sbtest1", "sbtest2"):
        texts = [
            pair.sql(f"SHOW CREATE TABLE {schema}.{table}")[0][1] for schema in (SYSBENCH, DYNOLOAD)
        ]
        assert texts[0] == texts[1]
        sums = [
            pair.sql(
                f"SELECT COUNT(*), SUM(id), SUM(LENGTH(c)), SUM(LENGTH(pad)) FROM {schema}.{table}"
            )
            for schema in (SYSBENCH, DYNOLOAD)
        ]
        assert sums[0] == sums[1] == [(50, 1275, 50 * 119, 50 * 59)]


# Values are drawn by the client, so one server is enough.
@pytest.mark.parametrize("pair", ["mariadb-10.11.5"], indirect=True)
@pytest.mark.parametrize("kind", ["uniform", "gaussian", "special", "pareto"])
def test_values_are_distributed_alike(pair: Pair, kind: str) -> None:
    """Kolmogorov and Smirnov for two samples; 1.95 * sqrt(2 / n) is the bound of 1 in 1,000."""
    pair.empty()
    pair.sysbench("oltp_read_write", "prepare", f"--rand-type={kind}")
    workload = oltp("oltp_read_write", table_size=ROWS, distribution={"kind": kind})
    pair.dynoload(workload, {"name": "load"})
    shares = []
    for schema in (SYSBENCH, DYNOLOAD):
        counts = Counter(int(str(k)) for (k,) in pair.sql(f"SELECT k FROM {schema}.sbtest1"))
        assert sum(counts.values()) == ROWS
        shares.append(list(accumulate(counts[k] for k in range(ROWS + 1))))
    furthest = max(abs(a - b) for a, b in zip(*shares, strict=True)) / ROWS
    assert furthest < 1.95 * (2 / ROWS) ** 0.5
