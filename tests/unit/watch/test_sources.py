"""Sources of servers that no test here can start: MySQL from 5.7 on, and its rights.

The connection is a fake, which answers as that server's manual says; real ones in tests/live/watch.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from dyno.client import SqlError
from dyno.watch import Reader, Reading
from dyno.watch.sources import _file_name

ALTER = "ALTER TABLE orders ADD INDEX k2 (k)"
THREAD = (12, "ann", "shop", "altering table", ALTER, 30, 0, 0, 0, None, 0)
STAGE = (12, "stage/innodb/alter table (merge sort)", 250, 1000)
Answers = list[tuple[str, Any]]
BASE: Answers = [
    (r"SELECT version", [("8.0.36",)]),
    (r"SHOW GRANTS", [("GRANT PROCESS ON *.* TO `ann`@`%`",)]),
    (r"TABLE_NAME = 'PROCESSLIST'", [(c,) for c in ("ID", "USER", "HOST", "TIME", "INFO")]),
    (r"onlineddl", []),
    (r"innodb_defragment", []),
    (r"FROM information_schema.PROCESSLIST", [THREAD]),
]
STAGES_ON: Answers = [
    (r"COLUMN_NAME = 'WORK_ESTIMATED'", [("WORK_ESTIMATED",)]),
    (r"setup_consumers", [(1,)]),
    (r"setup_instruments", [(1,)]),
    (r"FROM performance_schema.events_stages_current", [STAGE]),
]


class Fake:
    """A connection that answers each query as the first pattern in it says."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def rows(self, sql: str, *values: object) -> list[Any]:
        found = next((rows for pattern, rows in self._answers if re.search(pattern, sql)), [])
        if isinstance(found, Exception):
            raise found
        return list(found)


def read(answers: Answers, version: str = "8.0.36") -> Reading:
    connection: Any = Fake(answers)
    return Reader(connection, version).read()


def test_stage_events_give_stage_and_percentage() -> None:
    reading = read(STAGES_ON + BASE)
    (job,) = reading.jobs
    assert (job.pct, job.source) == (25.0, "stages")
    assert job.stage == "alter table (merge sort)"
    assert (job.kind, job.table, job.user) == ("alter", "shop.orders", "ann")
    assert "progress" not in reading.missing
    assert "8.0.36" in reading.missing["row log"]
    assert reading.rowlog_pct is None


def test_a_table_of_unknown_size_has_no_percentage_while_it_is_read() -> None:
    reads = (12, "stage/innodb/alter table (read PK and internal sort)", 250, 250)
    reading = read([(r"FROM performance_schema.events_stages_current", [reads]), *STAGES_ON, *BASE])
    (job,) = reading.jobs
    assert (job.pct, job.source) == (None, "stages")
    applies = (12, "stage/innodb/alter table (log apply index)", 250, 250)
    reading = read([(r"events_stages_current e", [applies]), *STAGES_ON, *BASE])
    assert reading.jobs[0].pct == 100


@pytest.mark.parametrize("off", ["setup_consumers", "setup_instruments"])
def test_stage_events_that_are_switched_off_are_named(off: str) -> None:
    reading = read([(off, []), *STAGES_ON, *BASE])
    assert reading.jobs[0].pct is None
    assert "switched off" in reading.missing["progress"]
    assert "setup_consumers" in reading.missing["progress"]


def test_a_performance_schema_that_is_off_is_named_with_what_it_takes() -> None:
    off = (r"LIKE 'performance_schema'", [("performance_schema", "OFF")])
    reading = read([off, *STAGES_ON, *BASE])
    assert "restart" in reading.missing["progress"]


def test_a_refused_performance_schema_is_named() -> None:
    refused = SqlError("SELECT command denied", code=1142)
    reading = read([("setup_consumers", refused), *STAGES_ON, *BASE])
    assert reading.jobs[0].pct is None
    assert "GRANT SELECT ON performance_schema" in reading.missing["progress"]


def test_other_errors_are_not_taken_for_a_missing_source() -> None:
    lost = SqlError("Lost connection", code=2013)
    with pytest.raises(SqlError, match="Lost connection"):
        read([("setup_consumers", lost), *STAGES_ON, *BASE])


def test_mysql_5_6_reports_words_only_and_is_recognised_by_name() -> None:
    reading = read([(r"SELECT version", [("5.6.24",)]), *BASE], version="5.6.24")
    (job,) = reading.jobs
    assert (job.pct, job.source, job.stage) == (None, None, "altering table")
    assert "MySQL 5.6.24" in reading.missing["progress"]


@pytest.mark.parametrize(
    ("grant", "sees_all"),
    [
        ("GRANT PROCESS ON *.* TO `ann`@`%`", True),
        ("GRANT SELECT, PROCESS, RELOAD ON *.* TO 'ann'@'%'", True),
        ("GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION", True),
        ("GRANT ALL PRIVILEGES ON `process`.* TO 'ann'@'%'", False),
        ("GRANT USAGE ON *.* TO 'process'@'%'", False),
        ("GRANT USAGE ON *.* TO 'ann'@'%'", False),
    ],
)
def test_without_process_only_the_own_sessions_are_seen(grant: str, sees_all: bool) -> None:
    reading = read([(r"SHOW GRANTS", [(grant,)]), *STAGES_ON, *BASE])
    assert ("sessions" not in reading.missing) is sees_all


def test_names_are_written_as_innodb_writes_them() -> None:
    assert _file_name("orders_2") == "orders_2"
    assert _file_name("my-orders 2") == "my@002dorders@00202"
