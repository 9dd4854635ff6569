"""A task that searches, on old and new servers: the least log of changes with which an online
ALTER beside writes succeeds.
"""

from __future__ import annotations

import json

import pytest
from small_tasks import ARMS, Document, Experiment, task_of, writes_beside
from thinned import WHOLE

# Each search takes 20 s of CPU.
SEARCHING = list(ARMS) if WHOLE else ["new"]
LOW, HIGH, OWN = 65_536, 268_435_456, 99_999_744
OVERFLOWS = 1799

# Wide entries of many rows, so that the writes overflow the least log on any host. A rebuild would
# too, but 10.11.5 crashes in it (row_log_table_apply_op), and of two indexes it calls one corrupt.
LEAST_LOG = f"""
[[task]]
name = "least log"
sql = "ALTER TABLE sbtest1 ADD INDEX c_2 (c, pad), ALGORITHM=INPLACE, LOCK=NONE"
undo = "ALTER TABLE sbtest1 DROP INDEX c_2"
least = {{ variable = "innodb_online_alter_log_max_size", from = {LOW}, to = "256M" }}
beside = true
before = "0.5s"
after = "0.5s"
"""
LOG, HEAP = "innodb_online_alter_log_max_size", "max_heap_table_size"


def alone(
    name: str, sql: str | list[str], undo: str | list[str], *, variable: str = LOG, low: str = "64K"
) -> str:
    """A search without a load, up to 1 MiB."""
    return f"""
[[task]]
name = "{name}"
sql = {json.dumps(sql)}
undo = {json.dumps(undo)}
least = {{ variable = "{variable}", from = "{low}", to = "1M" }}
timeout = "2s"
compare = "nothing"
"""


def once(name: str, sql: str) -> str:
    return f"""
[[task]]
name = "{name}"
sql = "{sql}"
timeout = "5s"
compare = "nothing"
"""


TEXT = "".join(
    (
        'title = "least"',
        '\nquestion = "How large must the log of changes be beside these writes?"',
        writes_beside(log_bytes=OWN, rows=200_000, arms=SEARCHING),
        LEAST_LOG,
        alone("always", "ALTER TABLE nowhere ADD INDEX i (c)", "ALTER TABLE nowhere DROP INDEX i"),
        alone(
            "never",
            "CREATE TABLE beside_it (a INT)",
            ["INSERT INTO beside_it VALUES (1)", "DROP TABLE beside_it"],
            low="1",
        ),
        alone("not undone", "SELECT 1", "DROP TABLE nowhere"),
        alone("unknown", "SELECT 1", "SELECT 1", variable="innodb_no_such_size"),
        alone("too long", ["SELECT SLEEP(30)", "SELECT 1"], "SELECT 1"),
        alone(
            "of the session",
            f"SELECT 1 FROM DUAL WHERE @@{HEAP} = @@GLOBAL.{HEAP} OR sleep(9)",
            "SELECT 1",
            variable=HEAP,
        ),
        once("index again", "ALTER TABLE sbtest1 ADD INDEX c_2 (c)"),
        once("its own value", f"SELECT 1 FROM DUAL WHERE @@GLOBAL.{LOG} = {OWN} OR sleep(9)"),
    )
)


@pytest.fixture(scope="module")
def run(shared: Experiment) -> Experiment:
    shared.write(TEXT)
    shared.run()
    return shared


@pytest.fixture(params=SEARCHING)
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


def test_other_ends_are_counted_separately(trial: Document) -> None:
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
    assert late["message"].startswith("killed after ")


def test_each_attempt_has_a_session_of_its_own(trial: Document) -> None:
    assert task_of(trial, "of the session")["outcome"] == "ok"


def test_the_report_tells_it(run: Experiment) -> None:
    findings = run.findings()
    reads = [read for read in findings["tasks"]["tasks"] if read["task"] == "least log"]
    assert len(reads) == len(SEARCHING)
    for read in reads:
        found = read["search"]
        assert (read["load"], read["median_s"]) == (None, None)
        assert found["n"] + read["void"] == 1
        if found["n"]:
            assert found["failed"] >= 1
            assert found["failed_s"] > 0
            assert found["least"] > LOW
    assert "Searches" in (run.folder / "report.html").read_text()
