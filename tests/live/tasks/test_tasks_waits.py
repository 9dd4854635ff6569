"""Why a load stands still beside a task: MariaDB 10.1 locks its writers out while OPTIMIZE TABLE
defragments, and 10.11 doesn't.
"""

from __future__ import annotations

import pytest
from small_tasks import Document, Experiment

TEXT = """
title = "small"
question = "Does OPTIMIZE TABLE lock writers out while it defragments?"
[settings]
innodb_defragment = 1
innodb_flush_log_at_trx_commit = 0
[[arm]]
name = "old"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "new"
server = "mariadb-10.11.5"
[workload]
kind = "oltp"
script = "oltp_write_only"
tables = 1
table_size = 60000
[protocol]
profile = false
connections = 4
warmup = "1s"
blocks = { first = 1, last = 1 }
[[task]]
name = "optimize"
sql = "OPTIMIZE TABLE sbtest1"
beside = true
before = "1s"
after = "1s"
"""


@pytest.fixture(scope="module")
def findings(shared: Experiment) -> Document:
    shared.write(TEXT)
    shared.run()
    return shared.findings()


def test_waiting_sessions_are_reported_with_what_they_wait_for(findings: Document) -> None:
    old, new = (
        next(read for read in findings["tasks"]["tasks"] if read["arm"] == arm)
        for arm in ("old", "new")
    )
    assert old["ok"] == new["ok"] == 1
    assert old["waits"]["what"] == "table metadata lock"
    assert old["waits"]["most"] >= 3
    assert old["waits"]["share"] > 0.5
    assert new["waits"]["share"] < 0.1
    (said,) = (line for line in findings["tasks"]["reports"] if "waited" in line)
    assert said.startswith("Optimize on old: up to ")
    assert "sessions waited for table metadata lock in " in said
    assert said in findings["answer"]


def test_the_report_has_it_beside_the_time_without_an_op(
    findings: Document, shared: Experiment
) -> None:
    page = (shared.folder / "report.html").read_text()
    most = next(r for r in findings["tasks"]["tasks"] if r["arm"] == "old")["waits"]["most"]
    assert f"{most} sessions waited for table metadata lock" in page
