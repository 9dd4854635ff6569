"""Our OLTP scripts against sysbench's: on the same rows, event for event the same work.

Work is what the server counts. With one connection, a seed and rows that are equal, both scripts
draw the same values from the same program, so every count must be the same. Another program draws
others: then what depends on them may differ by as much as they scatter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from programs import OUR_SCRIPTS, OURS, SCHEMA, Stand

ORIGIN = "dyno_origin"
BUNDLED = Path("/usr/share/sysbench")
ROWS, TABLES, EVENTS = 2000, 2, 200
SIZE = [f"--table-size={ROWS}", f"--tables={TABLES}"]
RUN = [*SIZE, f"--events={EVENTS}", "--time=0", "--rand-seed=42", "--rand-type=uniform", "run"]
# Means of 200 events of another program's values; see tests/live/load/test_sysbench_equal.py.
# With 2,000 rows more ranges are cut off at the end of the table, which scatters a bit more.
SCATTER = {
    "Handler_read_next": 0.15,
    "Handler_read_rnd": 0.06,
    "Handler_read_rnd_next": 0.06,
    "Handler_write": 0.06,
    "Handler_tmp_write": 0.06,
    "Handler_icp_attempts": 0.15,
    "Handler_icp_match": 0.15,
    "Handler_read_key": 0.02,
    "Handler_delete": 0.12,
}
SCRIPTS = [
    ("oltp_read_write", []),
    ("oltp_read_write", ["--db-ps-mode=disable"]),
    ("oltp_read_write", ["--skip-trx", "--mysql-ignore-errors=1062", "--range-size=7"]),
    ("oltp_read_write", ["--point-selects=2", "--delete-inserts=3", "--range-selects=off"]),
    ("oltp_read_only", ["--order-ranges=2", "--distinct-ranges=0"]),
    ("oltp_write_only", ["--index-updates=3", "--non-index-updates=2"]),
    ("oltp_point_select", []),
    ("oltp_update_index", []),
    ("oltp_update_non_index", []),
    ("oltp_delete", []),
    ("oltp_insert", []),
    ("select_random_points", ["--random-points=5"]),
    ("select_random_ranges", ["--number-of-ranges=4", "--delta=9"]),
]
NAMES = [" ".join([name, *options]) for name, options in SCRIPTS]


@pytest.fixture
def filled(any_stand: Stand) -> Iterator[Stand]:
    """A schema of rows to copy from, beside the one that scripts change."""
    stand = any_stand
    if not stand.sql(f"SHOW DATABASES LIKE '{ORIGIN}'"):
        stand.empty()
        # Values of k are drawn evenly, so that what a search for some finds scatters little.
        uniform = "--rand-type=uniform"
        ran = stand.run("sysbench", "oltp_read_write", *SIZE, uniform, "prepare")
        assert ran.code == 0, ran.stdout + ran.stderr
        stand.sql(f"CREATE DATABASE {ORIGIN}")
        for n in range(1, TABLES + 1):
            stand.sql(f"ALTER TABLE {SCHEMA}.sbtest{n} RENAME {ORIGIN}.sbtest{n}")
    yield stand
    stand.empty()


def work(stand: Stand, program: str, script: Path | str, options: list[str]) -> Counter[str]:
    """What a run does on rows that are as they were; a path is run in its folder."""
    stand.empty()
    for n in range(1, TABLES + 1):
        stand.sql(f"CREATE TABLE {SCHEMA}.sbtest{n} LIKE {ORIGIN}.sbtest{n}")
        stand.sql(f"INSERT INTO {SCHEMA}.sbtest{n} SELECT * FROM {ORIGIN}.sbtest{n} ORDER BY id")
        stand.sql(f"ANALYZE TABLE {SCHEMA}.sbtest{n}")
    folder = script.parent if isinstance(script, Path) else None
    name = f"./{script.name}" if isinstance(script, Path) else script

    def load() -> None:
        ran = stand.run(program, name, *options, *RUN, folder=folder)
        assert ran.code == 0, ran.stdout + ran.stderr

    found = stand.work(load)
    assert sum(found.values()) > EVENTS
    return found


@pytest.mark.parametrize(("script", "options"), SCRIPTS, ids=NAMES)
def test_our_scripts_do_the_same_in_sysbench(
    filled: Stand, script: str, options: list[str]
) -> None:
    theirs = work(filled, "sysbench", script, options)
    ours = work(filled, "sysbench", OUR_SCRIPTS / f"{script}.lua", options)
    # Statements are closed before the connection is, or with it; nothing else may differ.
    assert {k: v for k, v in ours.items() if k != "Com_stmt_close"} == {
        k: v for k, v in theirs.items() if k != "Com_stmt_close"
    }


@pytest.mark.parametrize("program", OURS)
@pytest.mark.parametrize("source", ["by name", "sysbench's file"])
@pytest.mark.parametrize(("script", "options"), SCRIPTS, ids=NAMES)
def test_a_program_of_ours_does_the_same(
    filled: Stand, program: str, source: str, script: str, options: list[str]
) -> None:
    theirs = work(filled, "sysbench", script, options)
    own = script if source == "by name" else BUNDLED / f"{script}.lua"
    ours = work(filled, program, own, options)
    if source == "by name" and theirs["Com_stmt_execute"]:
        # Natively these are text; sysbench prepares COMMIT, and BEGIN where the server can.
        kinds = 1 if filled.server.product == "mysql" else 2
        ours["Com_stmt_execute"] += kinds * theirs["Com_commit"]
        # So they aren't prepared, nor is what an event has none of.
        assert 0 < ours["Com_stmt_prepare"] <= theirs.pop("Com_stmt_prepare")
        del ours["Com_stmt_prepare"]
    for name in sorted((set(theirs) | set(ours)) - {"Com_stmt_close"}):
        allowed = SCATTER.get(name, 0.0) * theirs[name]
        assert abs(ours[name] - theirs[name]) <= allowed, (name, theirs[name], ours[name])


@pytest.mark.parametrize("program", ["sysbench", *OURS])
@pytest.mark.parametrize(
    "change",
    [
        [],
        ["--auto-inc=off"],
        ["--secondary=on"],
        ["--create-secondary=off"],
        ["--mysql-storage-engine=myisam"],
        ["--threads=2"],
    ],
)
def test_tables_are_made_alike(stand: Stand, program: str, change: list[str]) -> None:
    size = ["--table-size=50", "--tables=3", *change]
    found = []
    for runner, script in (
        ("sysbench", "oltp_read_write"),
        (program, f"{OUR_SCRIPTS / 'oltp_read_write.lua'}"),
    ):
        stand.empty()
        where = Path(script).parent if "/" in script else None
        ran = stand.run(runner, script, *size, "prepare", folder=where)
        assert ran.code == 0, ran.stdout + ran.stderr
        tables = [f"{SCHEMA}.sbtest{n}" for n in (1, 2, 3)]
        sums = "COUNT(*), MIN(id), MAX(id), SUM(LENGTH(c)), SUM(LENGTH(pad)), MAX(k) <= 50"
        found.append(
            (
                # Threads print at once, a line and its end apart.
                sorted(re.findall(r"[A-Z][a-z]+ing [^'\n.]+'sbtest\d'", ran.stdout)),
                [stand.sql(f"SHOW CREATE TABLE {table}")[0][1] for table in tables],
                [stand.sql(f"SELECT {sums} FROM {table}") for table in tables],
            )
        )
        # It reads by the primary key, which a secondary one replaces.
        warm = stand.run(runner, script, *size, "prewarm", folder=where)
        assert warm.code == (1 if "--secondary=on" in change else 0), warm.stdout + warm.stderr
        assert stand.run(runner, script, *size, "cleanup", folder=where).code == 0
        assert stand.sql(f"SHOW TABLES FROM {SCHEMA}") == []
    assert found[0] == found[1]
    assert len(found[0][0]) >= 6


@pytest.mark.parametrize("program", ["sysbench", *OURS])
def test_bulk_insert_sends_buffers_of_the_same_size(stand: Stand, program: str) -> None:
    rows = 100_000
    counts = []
    for runner, script, folder in (
        ("sysbench", "bulk_insert", None),
        (program, "./bulk_insert.lua", OUR_SCRIPTS),
    ):
        stand.empty()
        assert stand.run(runner, script, "--threads=2", "prepare", folder=folder).code == 0
        argv = ["--threads=1", f"--events={rows}", "--time=0", "run"]
        done = stand.work(partial(stand.run, runner, script, *argv, folder=folder))
        counts.append((done["Com_insert"], done["Handler_write"]))
        assert stand.sql(f"SELECT COUNT(*) FROM {SCHEMA}.sbtest1") == [(rows,)]
        assert stand.run(runner, script, "--threads=2", "cleanup", folder=folder).code == 0
    assert counts[0] == counts[1]
