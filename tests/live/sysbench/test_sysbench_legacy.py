"""Our scripts in the manner of sysbench 0.5: what they do to tables, on each program."""

from __future__ import annotations

import pytest
from programs import OUR_SCRIPTS, PROGRAMS, SCHEMA, Stand
from report_parser import read_run

pytestmark = pytest.mark.parametrize("program", PROGRAMS)

LEGACY = OUR_SCRIPTS / "legacy"
SIZE = ["--oltp-table-size=300", "--oltp-tables-count=2"]
RUN = [*SIZE, "--events=20", "--time=0", "--rand-type=uniform", "run"]


def prepared(stand: Stand, program: str, *options: str) -> None:
    stand.empty()
    ran = stand.run(program, str(LEGACY / "oltp.lua"), *SIZE, *options, "prepare")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert stand.sql(f"SELECT COUNT(*) FROM {SCHEMA}.sbtest2") == [(300,)]


@pytest.mark.parametrize(
    ("script", "options", "reads", "writes", "others"),
    [
        ("oltp", [], 14, 4, 2),
        ("oltp", ["--oltp-read-only=on", "--oltp-skip-trx=on"], 14, 0, 0),
        ("oltp", ["--oltp-range-selects=off", "--oltp-point-selects=3"], 3, 4, 2),
        ("oltp", ["--mysql-table-engine=myisam"], 14, 4, 2),
        ("oltp_simple", [], 1, 0, 0),
        ("select", [], 1, 0, 0),
        ("update_index", [], 0, 1, 0),
        ("update_non_index", [], 0, 1, 0),
        ("insert", [], 0, 1, 0),
        ("select_random_points", [], 1, 0, 0),
        ("select_random_ranges", [], 1, 0, 0),
    ],
)
def test_an_event(
    stand: Stand,
    program: str,
    script: str,
    options: list[str],
    reads: int,
    writes: int,
    others: int,
) -> None:
    prepared(stand, program, *options)
    ran = stand.run(program, f"./{script}.lua", *options, *RUN, folder=LEGACY)
    assert ran.code == 0, ran.stdout + ran.stderr
    final = read_run(ran.stdout).final
    assert final["events"] == 20
    assert final["reads"] == 20 * reads
    assert final["writes"] == 20 * writes
    assert final["other"] == 20 * others


def test_a_delete(stand: Stand, program: str) -> None:
    prepared(stand, program)
    ran = stand.run(program, "./delete.lua", *RUN, folder=LEGACY)
    final = read_run(ran.stdout).final
    # An id that is drawn twice is deleted once.
    assert 15 <= final["writes"] <= 20
    counts = [stand.sql(f"SELECT COUNT(*) FROM {SCHEMA}.sbtest{n}")[0][0] for n in (1, 2)]
    assert sum(int(str(count)) for count in counts) == 600 - final["writes"]


def test_tables_are_filled_in_parallel_and_dropped(stand: Stand, program: str) -> None:
    stand.empty()
    options = ["--oltp-table-size=50", "--oltp-tables-count=5", "--num-threads=2"]
    ran = stand.run(program, "./parallel_prepare.lua", *options, "run", folder=LEGACY)
    assert ran.code == 0, ran.stdout + ran.stderr
    tables = [name for (name,) in stand.sql(f"SHOW TABLES FROM {SCHEMA}")]
    assert tables == [f"sbtest{n}" for n in range(1, 6)]
    assert stand.sql(f"SELECT COUNT(*), MIN(k) > 0, MAX(k) <= 50 FROM {SCHEMA}.sbtest5") == [
        (50, 1, 1)
    ]
    assert stand.run(program, "./oltp.lua", *options, "cleanup", folder=LEGACY).code == 0
    assert stand.sql(f"SHOW TABLES FROM {SCHEMA}") == []


def test_bulk_insert(stand: Stand, program: str) -> None:
    stand.empty()
    for command in ("prepare", "run"):
        options = ["--num-threads=2", "--events=30000", "--time=0"]
        ran = stand.run(program, "./bulk_insert.lua", *options, command, folder=LEGACY)
        assert ran.code == 0, ran.stdout + ran.stderr
    counts = [stand.sql(f"SELECT COUNT(*) FROM {SCHEMA}.sbtest{n}")[0][0] for n in (1, 2)]
    assert sum(int(str(count)) for count in counts) == 30_000
    options = ["--num-threads=2", "cleanup"]
    assert stand.run(program, "./bulk_insert.lua", *options, folder=LEGACY).code == 0
    assert stand.sql(f"SHOW TABLES FROM {SCHEMA}") == []
