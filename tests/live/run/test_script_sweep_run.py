"""`dyno run` of a sweep over scripts, with an engine that is a plugin in one arm."""

from __future__ import annotations

import json

import pytest
from small_run import Bench

EXPERIMENT = """
title = "small"
question = "Which engine is faster at which script?"
[[arm]]
name = "InnoDB"
baseline = true
server = "mariadb-trixie"
engine = "InnoDB"
[[arm]]
name = "MyRocks"
server = "mariadb-trixie"
engine = "ROCKSDB"
plugins = ["ha_rocksdb"]
settings = { rocksdb_block_cache_size = "16M" }
[workload]
kind = "sysbench"
script = "oltp_read_write"
options = { tables = 2, table-size = 400, rand-type = "uniform", mysql_storage_engine = "{engine}" }
[sweep.script]
reads = ["oltp_point_select", "script/mine.lua"]
writes = ["oltp_update_index"]
[protocol]
profile = false
connections = 2
warmup = "300ms"
duration = "1s"
blocks = { first = 2, last = 2 }
[quick]
script = ["mine"]
[[claim]]
says = "MyRocks is no slower"
ratio_of = ["MyRocks", "InnoDB"]
at = { group = "reads" }
at_least = 1
[[claim]]
says = "An update takes it more CPU time"
ratio_of = ["MyRocks", "InnoDB"]
metric = "server_cpu"
at = "oltp_update_index"
at_least = 1
"""
SCRIPT = """
local helper = require("lib.helper")

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("SELECT SLEEP(0.001) FROM sbtest2 WHERE id = " .. helper.id)
end
"""


@pytest.fixture
def sweep(todays_servers: None, bench: Bench) -> Bench:
    bench.write_script(EXPERIMENT, SCRIPT, "return { id = 7 }\n")
    return bench


def test_scripts_are_points_on_one_set_of_data(sweep: Bench) -> None:
    done = sweep.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert findings["run"]["trials_ok"] == 12
    labels = [point["label"] for point in findings["points"]]
    assert labels == ["oltp_point_select", "mine", "oltp_update_index"]
    for trial in sweep.all_trials():
        measured = trial["summary"]["phases"][-1]
        assert measured["failed"] == {}
        (op,) = measured["ops"]
        counts = measured["statements"]
        # Each script has one statement in an event, and only the last one writes.
        kind = "write" if trial["point"] == 2 else "read"
        assert op["op"] == "event"
        assert counts[kind] == pytest.approx(op["count"], abs=4)
    said = [claim["says"] for claim in findings["claims"]]
    assert said[0] == "MyRocks is no slower (at oltp_point_select)"
    assert len(said) == 3
    compared = {(c["metric"], c["point"]): c for c in findings["compared"]}
    assert all(compared["server_cpu", point]["n"] == 2 for point in range(3))
    html = (sweep.run_folder() / "report.html").read_text()
    assert "Script by script" in html
    engines = {(t["arm"], s["engine"]) for t in sweep.all_trials() for s in t.get("sizes", [])}
    assert engines >= {("InnoDB", "InnoDB"), ("MyRocks", "ROCKSDB")}


def test_check_shows_the_scripts_and_their_mistakes(sweep: Bench) -> None:
    done = sweep.dyno("check", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    assert "reads: oltp_point_select, mine" in done.stdout
    (sweep.path / "small" / "script" / "mine.lua").write_text("function event(\n")
    done = sweep.dyno("check", "small/experiment.toml")
    assert done.returncode == 2
    assert "at mine: workload.script: mine.lua:2: " in done.stderr


def test_the_quick_form_runs_the_scripts_that_it_names(sweep: Bench) -> None:
    done = sweep.dyno("check", "small/experiment.toml", "--quick")
    assert done.returncode == 0, done.stderr
    assert "oltp_point_select" not in done.stdout.split("Claims")[0]
