"""`dyno run` of somebody's Lua script as a workload, on the servers of today."""

from __future__ import annotations

import json

import pytest
from small_run import Bench

EXPERIMENT = """
title = "small"
question = "Which server is faster at this script?"
[[arm]]
name = "MariaDB"
baseline = true
server = "mariadb-trixie"
[[arm]]
name = "MySQL"
server = "mysql-sid"
[workload]
kind = "sysbench"
script = "script/mine.lua"
options = { tables = 2, table-size = 400, rand-type = "uniform", slow = 0.001 }
[sweep]
connections = [1, 4]
[protocol]
profile = false
warmup = "300ms"
duration = "1s"
blocks = { first = 2, last = 2 }
[[claim]]
says = "MySQL is no slower"
ratio_of = ["MySQL", "MariaDB"]
at = "each"
at_least = 1
"""
# It prints, has an option of its own, and two statements in an event: one row of two tables.
SCRIPT = """
require("oltp_common")
local helper = require("lib.helper")
sysbench.cmdline.options.slow = { "seconds that an event sleeps", 0.01 }

function prepare_statements()
   prepare_point_selects()
end

function event()
   print("an event")
   for _ = 1, helper.times do
      con:query("SELECT SLEEP(" .. sysbench.opt.slow .. ")")
   end
   con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. sysbench.rand.default(1, 2))
end
"""
HELPER = "return { times = 2 }\n"


@pytest.fixture
def script(todays_servers: None, bench: Bench) -> Bench:
    bench.write_script(EXPERIMENT, SCRIPT, HELPER)
    return bench


def test_a_script_runs_on_both_and_is_compared(script: Bench) -> None:
    done = script.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert findings["run"]["trials_ok"] == 8
    for trial in script.all_trials():
        measured = trial["summary"]["phases"][-1]
        assert measured["failed"] == {}
        (op,) = measured["ops"]
        assert (op["op"], op["outcome"]) == ("mine", "ok")
        # Each event reads twice and writes once.
        counts = measured["statements"]
        assert counts["read"] == pytest.approx(2 * op["count"], abs=8)
        assert counts["write"] == pytest.approx(op["count"], abs=4)
    plan = json.loads((script.run_folder() / "plan.json").read_text())
    assert plan["workload"]["files"] == {"mine.lua": SCRIPT, "lib/helper.lua": HELPER}
    assert len(findings["claims"]) == 2
    assert "mine" in (script.run_folder() / "report.html").read_text()


@pytest.mark.parametrize(
    ("script_text", "words"),
    [
        ("function event(\n", "workload.script: mine.lua:2: "),
        ('require("nothere")\n', "workload.script: mine.lua:1: module 'nothere' not found"),
        ("function evnt() end\n", "workload.script: mine.lua has no function event()"),
        ('print("error: x")\nerror("no luck")\n', "workload.script: mine.lua:2: no luck"),
    ],
)
def test_a_script_that_cant_be_loaded_is_one_line(
    script: Bench, script_text: str, words: str
) -> None:
    (script.path / "small" / "script" / "mine.lua").write_text(script_text)
    done = script.dyno("check", "small/experiment.toml")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\nhint: ") == 1


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("threads", "workload.options.threads: isn't an option of the script"),
        ("slw", "workload.script: invalid option: --slw=0.001\n\nhint: did you mean --slow?"),
    ],
)
def test_an_option_that_isnt_the_scripts_is_refused(script: Bench, option: str, words: str) -> None:
    file = script.path / "small" / "experiment.toml"
    file.write_text(EXPERIMENT.replace("slow =", f"{option} ="))
    done = script.dyno("check", "small/experiment.toml")
    assert done.returncode == 2
    assert words in done.stderr


def test_a_script_that_fails_ends_the_run_with_its_words(script: Bench) -> None:
    broken = SCRIPT.replace("SET k = k", "SET nope = k")
    (script.path / "small" / "script" / "mine.lua").write_text(broken)
    done = script.dyno("run", "small/experiment.toml")
    assert done.returncode != 0
    assert "most with error 1054" in done.stderr
    assert "Unknown column 'nope'" in done.stderr
    assert "Traceback" not in done.stderr
