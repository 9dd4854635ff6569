"""Tasks of a run on a real server: beside the load and alone, those that fail, and those that end
before their time.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

import polars as pl
import pytest
from small_tasks import Document, Experiment, servers_below, task_of

TEXT = """
title = "small"
question = "What do tasks do?"
[[arm]]
name = "A"
baseline = true
server = "mariadb-10.11.5"
[[arm]]
name = "idle"
server = "mariadb-10.11.5"
[workload]
kind = "oltp"
script = "oltp_write_only"
tables = 1
table_size = 400000
[protocol]
profile = false
connections = 2
blocks = { first = 1, last = 1 }
warmup = "1s"
[[task]]
name = "prepare"
sql = ["CREATE TABLE beside_it (a INT)", "DROP TABLE beside_it"]
compare = "nothing"
arms = ["A"]
[[task]]
name = "index"
sql = "ALTER TABLE sbtest1 ADD INDEX c2 (c, k), ALGORITHM=INPLACE, LOCK=NONE"
beside = true
before = "1s"
after = "1s"
arms = ["A"]
[[task]]
name = "again"
sql = "ALTER TABLE sbtest1 ADD INDEX c2 (c)"
beside = true
before = "0.5s"
after = "0.5s"
arms = ["A"]
[[task]]
name = "sleep"
sql = ["SELECT SLEEP(30)", "CREATE TABLE never_made (a INT)"]
timeout = "0.5s"
arms = ["A"]
[[task]]
name = "crash"
do = "crash"
arms = ["A"]
[[task]]
name = "checkpoint"
do = "checkpoint"
arms = ["A"]
[[task]]
name = "restart"
do = "restart"
arms = ["A"]
[[task]]
name = "optimize nothing"
sql = "OPTIMIZE TABLE nowhere"
arms = ["A"]
"""


@pytest.fixture(scope="module")
def trials(shared: Experiment) -> dict[str, Document]:
    shared.write(TEXT)
    shared.run()
    return shared.trials()


def test_every_task_is_done_in_its_order(trials: dict[str, Document]) -> None:
    trial = trials["A"]
    assert trial["status"] == "ok", trial
    assert [(task["name"], task["outcome"]) for task in trial["tasks"]] == [
        ("prepare", "ok"),
        ("index", "ok"),
        ("again", "failed"),
        ("sleep", "timeout"),
        ("crash", "ok"),
        ("checkpoint", "ok"),
        ("restart", "ok"),
        ("optimize nothing", "failed"),
    ]
    assert trials["idle"]["tasks"] == []
    assert "tasks_before" in trial["steps"]
    assert "tasks_after" in trial["steps"]


def test_the_load_runs_beside_them_and_ends_with_them(trials: dict[str, Document]) -> None:
    for arm in ("A", "idle"):
        trial = trials[arm]
        summary = trial["summary"]
        assert summary["complete"]
        (measured,) = [p for p in summary["phases"] if p["phase"] == "measure"]
        beside = [t for t in trial["tasks"] if t.get("start_s") is not None]
        # 1 s before, 1 s between, 0.5 s after.
        expected_s = 2.5 + sum(task["elapsed_s"] for task in beside)
        # What is asked around tasks takes its time, too.
        assert expected_s <= measured["elapsed_s"] < expected_s + 8, arm
    index, again = (task_of(trials["A"], name) for name in ("index", "again"))
    intervals = pl.read_parquet(trials["A"]["folder"] / "intervals.parquet")
    begun_s = intervals.filter(pl.col("phase") == "measure")["t_s"].min()
    assert isinstance(begun_s, float)
    assert 1.0 <= index["start_s"] - begun_s < 4
    assert again["start_s"] - index["start_s"] - index["elapsed_s"] >= 1.0
    assert "start_s" not in task_of(trials["A"], "crash")


def test_an_alter_is_sampled_on_its_way(trials: dict[str, Document]) -> None:
    index = task_of(trials["A"], "index")
    samples = index["progress"]
    assert len(samples) >= 2, index
    assert all(0 <= s["t_s"] <= index["elapsed_s"] + 0.2 for s in samples)
    reported = [s["pct"] for s in samples if s.get("pct") is not None]
    assert reported
    assert reported == sorted(reported)
    assert all(0 <= pct <= 100 for pct in reported)
    assert any(s.get("source") == "onlineddl" for s in samples)
    assert any(s.get("stage") for s in samples)


def test_what_a_task_did_is_in_counters_and_sizes(trials: dict[str, Document]) -> None:
    index = task_of(trials["A"], "index")
    assert index["status"]["Com_alter_table"] == 1
    assert index["status"]["Com_commit"] > 10, "of the load beside it"
    assert "Innodb_onlineddl_pct_progress" in index["status_after"]
    (before,), (after,) = index["sizes_before"], index["sizes_after"]
    assert before["table"] == after["table"] == "sbtest1"
    assert after["index_bytes"] > before["index_bytes"]
    assert after["file_bytes"] > before["file_bytes"]


def test_failures_have_the_servers_error(trials: dict[str, Document]) -> None:
    again = task_of(trials["A"], "again")
    assert again["code"] == 1061
    assert "Duplicate key name" in again["message"]
    nowhere = task_of(trials["A"], "optimize nothing")
    assert "doesn't exist" in nowhere["message"]
    sleep = task_of(trials["A"], "sleep")
    assert sleep["message"].startswith("killed after 0.")
    assert 0.5 <= sleep["elapsed_s"] < 2
    assert sleep["status"].get("Com_create_table") is None


def test_the_server_comes_back_with_what_was_committed(trials: dict[str, Document]) -> None:
    trial = trials["A"]
    for name in ("restart", "crash"):
        task = task_of(trial, name)
        assert 0.1 < task["elapsed_s"] < 30
        assert [size["table"] for size in task["sizes_after"]] == ["sbtest1"]
    log = (trial["folder"] / "server.err").read_text()
    assert "crash recovery" in log
    assert log.count("ready for connections") == 3
    assert trial["sizes"][0]["rows"] == 400000


def test_the_dirty_pages_limits_are_put_back(experiment: Experiment) -> None:
    text = TEXT[: TEXT.index("[[task]]")].replace("400000", "1000")
    text = text[: text.index('[[arm]]\nname = "idle"')] + text[text.index("[workload]") :]
    text += """
[[task]]
name = "checkpoint"
do = "checkpoint"
timeout = "0.5s"
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "look"
beside = true
before = "0.5s"
after = "0.5s"
sql = "SELECT 1 FROM sbtest1 WHERE @@global.innodb_max_dirty_pages_pct < 90 AND sleep(60)"
timeout = "5s"
"""
    experiment.write(text)
    experiment.run()
    trial = experiment.trials()["A"]
    assert task_of(trial, "checkpoint")["outcome"] in ("ok", "timeout")
    assert task_of(trial, "look")["outcome"] == "ok", "innodb_max_dirty_pages_pct was left at 0"


SLOW = """
[[task]]
name = "slow"
sql = "SELECT SLEEP(60)"
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "later"
sql = "SELECT 1"
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "last"
sql = "SELECT 2"
"""


def small(duration: str = "") -> str:
    text = TEXT[: TEXT.index("[[task]]")].replace("400000", "1000")
    text = text[: text.index('[[arm]]\nname = "idle"')] + text[text.index("[workload]") :]
    return text.replace('warmup = "1s"', f'warmup = "0.5s"\n{duration}') + SLOW


def test_a_load_that_reaches_its_limit_ends_what_is_beside_it(experiment: Experiment) -> None:
    experiment.write(small('duration = "4s"'))
    experiment.run()
    trial = experiment.trials()["A"]
    assert trial["status"] == "ok"
    slow, later, last = trial["tasks"]
    assert slow["outcome"] == "timeout"
    assert "the load beside it ended" in slow["message"]
    assert 1 < slow["elapsed_s"] < 6
    assert (later["outcome"], later["elapsed_s"]) == ("not run", 0)
    assert last["outcome"] == "ok"


def test_ctrl_c_in_a_task_leaves_nothing_running(experiment: Experiment) -> None:
    experiment.write(small())
    process = experiment.begin()
    deadline = time.monotonic() + 60
    partial: list[Path] = []
    while not partial:
        assert time.monotonic() < deadline
        partial = list(experiment.path.glob("runs/small/*/trials/.0001.partial/load.json"))
        time.sleep(0.05)
    time.sleep(3)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert time.monotonic() - begun < 10
    assert process.returncode == 130, words
    assert "Traceback" not in words
    assert not servers_below(partial[0].parents[2])
    assert not list(experiment.path.glob("runs/small/*")), "nothing was measured"
