"""What a run with tasks shows on real servers: one that reports its progress and may fail, and one
that says nothing. The report has it in words.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from small_tasks import Document, Experiment

TEXT = """
title = "small"
question = "What does an online ALTER do to the writes beside it?"
[settings]
innodb_flush_log_at_trx_commit = 0
[[arm]]
name = "MariaDB"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "small log"
server = "mariadb-10.1.8"
settings = { innodb_online_alter_log_max_size = 65536, innodb_sort_buffer_size = 65536 }
[[arm]]
name = "MySQL"
server = "mysql-5.6.24"
[workload]
kind = "oltp"
script = "oltp_write_only"
tables = 1
table_size = 150000
[protocol]
profile = false
connections = 4
warmup = "1s"
blocks = { first = 1, last = 1 }
[[task]]
name = "rebuild"
sql = "ALTER TABLE sbtest1 FORCE, ALGORITHM=INPLACE, LOCK=NONE"
beside = true
before = "1s"
after = "1s"
"""


@pytest.fixture(scope="module")
def findings(shared: Experiment) -> Document:
    shared.write(TEXT)
    shared.run()
    return shared.findings()


def of(findings: Document, arm: str) -> Document:
    (found,) = [read for read in findings["tasks"]["tasks"] if read["arm"] == arm]
    return dict(found)


def test_a_failure_is_reported_first_and_breaks_nothing(findings: Document) -> None:
    read = of(findings, "small log")
    (failure,) = read["failures"]
    assert (failure["code"], failure["trials"]) == (1799, 1)
    assert 0 < failure["after_s"] < 60
    assert (read["ok"], read["n"], read["median_s"]) == (0, 0, None)
    assert findings["run"]["state"] == "complete"
    (said,) = findings["tasks"]["failed"]
    assert said.startswith("Rebuild failed on 1 of 1 trial of small log: 1799 ")
    assert said in findings["answer"]


def test_progress_is_found_where_the_server_reports_it(findings: Document) -> None:
    reporting, silent = of(findings, "MariaDB")["progress"], of(findings, "MySQL")["progress"]
    assert reporting["source"] == "onlineddl"
    assert reporting["samples"] >= 3
    assert abs(reporting["error_points"]) <= 100
    (curve,) = findings["tasks"]["curves"]
    assert curve["arm"] == "MariaDB"
    shares = [share for share, _ in curve["places"]]
    assert all(a < b for a, b in pairwise(shares))
    assert 0 <= shares[0] < shares[-1] <= 100
    assert silent["unavailable"] == "MySQL 5.6.24 doesn't report its progress"


def test_the_load_beside_is_reported(findings: Document) -> None:
    """Of arms whose load generator wasn't the limit itself, which on a busy machine it may be."""
    void = sum(of(findings, arm)["void"] for arm in ("MariaDB", "MySQL", "small log"))
    beside = [read["load"] for read in findings["tasks"]["tasks"] if read["load"]]
    assert len(beside) + void == 3
    for load in beside:
        assert load["before_per_s"] > 0
        assert load["during_per_s"] > 0
        assert load["kept"] == pytest.approx(load["during_per_s"] / load["before_per_s"])
        assert load["silent_s"] >= 0
    assert len(findings["tasks"]["timelines"]) == len(beside)


def test_the_report_has_the_part(findings: Document, shared: Experiment) -> None:
    page = (shared.folder / "report.html").read_text()
    assert 'id="tasks"' in page
    assert 'id="progress"' in page
    assert "1 failed: 1799" in page
    # Beside lines about waits, which depend on how long the rebuild takes here.
    reported = "Rebuild on MariaDB: Innodb_onlineddl_pct"
    assert [line.startswith(reported) for line in findings["tasks"]["reports"]].count(True) == 1
