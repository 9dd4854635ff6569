"""A task that searches, on servers of then and now: the least log of changes that an online ALTER
beside writes comes to its end with.
"""

from __future__ import annotations

import json

import pytest
from small_tasks import Document, Experiment, task_of

LOW, HIGH, OWN = 65_536, 268_435_456, 99_999_744
OVERFLOWS = 1799

TEXT = f"""
title = "least"
question = "How large must the log of changes be beside these writes?"
[settings]
innodb_online_alter_log_max_size = {OWN}
innodb_sort_buffer_size = 65536
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
table_size = 100000
[protocol]
connections = 4
blocks = {{ first = 1, last = 1 }}
warmup = "0.5s"
[[task]]
name = "least log"
sql = "ALTER TABLE sbtest1 ADD INDEX c_2 (c), ALGORITHM=INPLACE, LOCK=NONE"
undo = "ALTER TABLE sbtest1 DROP INDEX c_2"
least = {{ variable = "innodb_online_alter_log_max_size", from = {LOW}, to = "256M" }}
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "always"
sql = "ALTER TABLE nowhere ADD INDEX c_2 (c)"
undo = "ALTER TABLE nowhere DROP INDEX c_2"
least = {{ variable = "innodb_online_alter_log_max_size", from = "64K", to = "1M" }}
compare = "nothing"
[[task]]
name = "never"
sql = "CREATE TABLE beside_it (a INT)"
undo = ["INSERT INTO beside_it VALUES (1)", "DROP TABLE beside_it"]
least = {{ variable = "innodb_online_alter_log_max_size", from = "1", to = "1M" }}
compare = "nothing"
[[task]]
name = "not undone"
sql = "SELECT 1"
undo = "DROP TABLE nowhere"
least = {{ variable = "innodb_online_alter_log_max_size", from = "64K", to = "1M" }}
compare = "nothing"
[[task]]
name = "unknown"
sql = "SELECT 1"
undo = "SELECT 1"
least = {{ variable = "innodb_no_such_size", from = "64K", to = "1M" }}
compare = "nothing"
[[task]]
name = "too long"
sql = ["SELECT SLEEP(30)", "SELECT 1"]
undo = "SELECT 1"
least = {{ variable = "max_heap_table_size", from = "64K", to = "1M" }}
timeout = "0.5s"
compare = "nothing"
[[task]]
name = "of the session"
sql = "SELECT 1 FROM DUAL WHERE @@max_heap_table_size = @@GLOBAL.max_heap_table_size OR sleep(9)"
undo = "SELECT 1"
least = {{ variable = "max_heap_table_size", from = "64K", to = "1M" }}
timeout = "5s"
compare = "nothing"
[[task]]
name = "index again"
sql = "ALTER TABLE sbtest1 ADD INDEX c_2 (c)"
compare = "nothing"
[[task]]
name = "its own value"
sql = "SELECT 1 FROM DUAL WHERE @@GLOBAL.innodb_online_alter_log_max_size = {OWN} OR sleep(9)"
timeout = "5s"
compare = "nothing"
"""


@pytest.fixture(scope="module")
def run(shared: Experiment) -> Experiment:
    shared.write(TEXT)
    shared.run()
    return shared


@pytest.fixture(params=["old", "new"])
def trial(run: Experiment, request: pytest.FixtureRequest) -> Document:
    found = run.trials()[request.param]
    assert found["status"] == "ok", found["failure"]
    return found


def test_the_least_log_is_found_between_a_failure_and_a_success(trial: Document) -> None:
    search = task_of(trial, "least log")
    assert search["outcome"] == "ok", search
    attempts = search["attempts"]
    assert [(a["value"], a["outcome"]) for a in attempts[:2]] == [(HIGH, "ok"), (LOW, "failed")]
    failed = {a["value"] for a in attempts if a["outcome"] == "failed"}
    assert {a["code"] for a in attempts if a["outcome"] == "failed"} == {OVERFLOWS}
    assert search["least"] == min(a["value"] for a in attempts if a["outcome"] == "ok")
    assert max(failed) < search["least"] <= 1.25 * max(failed)
    assert all(a["elapsed_s"] > 0 for a in attempts)
    assert search["elapsed_s"] > sum(a["elapsed_s"] for a in attempts)
    assert search.get("progress", []) == []
    assert "start_s" in search


def test_nothing_of_it_is_left(trial: Document) -> None:
    assert task_of(trial, "index again")["outcome"] == "ok", "the index wasn't dropped"
    assert task_of(trial, "its own value")["outcome"] == "ok", "the variable wasn't put back"


def test_other_ends_are_told_apart(trial: Document) -> None:
    always, never = task_of(trial, "always"), task_of(trial, "never")
    assert (always["outcome"], always["code"]) == ("failed", 1146)
    assert [a["value"] for a in always["attempts"]] == [1_048_576]
    assert "least" not in always
    # The server makes 64 KiB of it, which is the least there is.
    assert (never["outcome"], never["least"]) == ("ok", LOW)
    assert [a["outcome"] for a in never["attempts"]] == ["ok", "ok"]
    undo, unknown = task_of(trial, "not undone"), task_of(trial, "unknown")
    assert (undo["outcome"], undo["code"]) == ("failed", 1051)
    assert undo["message"].startswith("undo: ")
    assert [a["outcome"] for a in undo["attempts"]] == ["ok"]
    assert (unknown["outcome"], unknown["code"]) == ("failed", 1193)
    assert unknown["attempts"] == []
    late = task_of(trial, "too long")
    assert (late["outcome"], [a["outcome"] for a in late["attempts"]]) == ("timeout", ["timeout"])
    assert late["message"].startswith("killed after 0.")


def test_each_attempt_has_a_session_of_its_own(trial: Document) -> None:
    assert task_of(trial, "of the session")["outcome"] == "ok"


def test_the_report_tells_it(run: Experiment) -> None:
    findings: Document = json.loads((run.folder / "findings.json").read_text())
    reads = [read for read in findings["tasks"]["tasks"] if read["task"] == "least log"]
    assert len(reads) == 2
    for read in reads:
        found = read["search"]
        assert (read["load"], read["median_s"]) == (None, None)
        assert found["n"] + read["void"] == 1
        if found["n"]:
            assert found["failed"] >= 1
            assert found["failed_s"] > 0
            assert found["least"] > LOW
    assert "Searches" in (run.folder / "report.html").read_text()
