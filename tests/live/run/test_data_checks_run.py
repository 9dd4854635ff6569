"""The data of a run are checked: after the load, where a dataset without its rows isn't used, and
after each trial, whose report says which arm broke them.
"""

from __future__ import annotations

import json
import secrets

from small_run import Bench
from thinned import in_test_all

TPCC = """
title = "small"
question = "Does an engine without transactions do the work?"
[[arm]]
name = "InnoDB"
baseline = true
server = "mysql-5.6.24"
engine = "InnoDB"
[[arm]]
name = "other"
server = "mysql-5.6.24"
engine = "{engine}"
[workload]
kind = "tpcc"
check_data = "{check_data}"
[protocol]
profile = false
connections = 16
blocks = {{ first = 2, last = 2 }}
warmup = "1s"
duration = "4s"
"""


def write(bench: Bench, *, engine: str, check_data: str = "every_trial") -> None:
    bench.experiment.write_text(TPCC.format(engine=engine, check_data=check_data))


@in_test_all
def test_an_engine_without_transactions_breaks_the_data_and_the_report_says_so(
    bench: Bench,
) -> None:
    write(bench, engine="MyISAM", check_data="first_block")
    done = bench.dyno("run", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    trials = bench.all_trials()
    states = {
        (t["arm"], t["block"]): {c["name"]: c["state"] for c in t["data_checks"]} for t in trials
    }
    assert states["InnoDB", 1] == states["other", 1] == {}
    innodb, other = states["InnoDB", 0], states["other", 0]
    assert len(innodb) == 19
    assert set(innodb.values()) == {"ok"}
    assert innodb["acknowledged orders"] == "ok"
    assert {name for name, state in other.items() if state == "broken"} >= {"s_ytd", "s_order_cnt"}
    timed = next(t for t in trials if (t["arm"], t["block"]) == ("InnoDB", 0))
    assert timed["steps"]["check_data"] > 0.5
    findings = json.loads((bench.run_folder() / "findings.json").read_text())
    (data,) = [check for check in findings["fairness"] if check["name"] == "data"]
    assert data["check"] == "failed"
    assert "other didn't do all of the work" in data["says"]
    assert any("s_ytd" in line for line in data["details"])
    assert "do all of the work that is counted" in (bench.run_folder() / "report.html").read_text()


@in_test_all
def test_points_on_one_copy_of_the_data_are_checked_after_the_last(bench: Bench) -> None:
    write(bench, engine="InnoDB", check_data="first_block")
    text = bench.experiment.read_text().replace("connections = 16", 'restart = "block"')
    text = text.replace("first = 2, last = 2", "first = 1, last = 1").replace('"4s"', '"1s"')
    bench.experiment.write_text(text + "[sweep]\nconnections = [2, 4]\n")
    done = bench.dyno("run", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    by_arm: dict[str, list[int]] = {}
    for trial in sorted(bench.all_trials(), key=lambda trial: trial["number"]):
        by_arm.setdefault(trial["arm"], []).append(len(trial["data_checks"]))
    assert by_arm == {"InnoDB": [0, 19], "other": [0, 19]}
    findings = json.loads((bench.run_folder() / "findings.json").read_text())
    (data,) = [check for check in findings["fairness"] if check["name"] == "data"]
    assert data["check"] == "ok"
    assert "held after each arm's last trial of the first block" in data["says"]


def test_a_dataset_without_its_rows_is_not_used(bench: Bench) -> None:
    write(bench, engine="BLACKHOLE")
    done = bench.dyno("run", "small/experiment.toml")
    assert done.returncode == 7
    assert "error: the dataset loaded for 'other' failed its check" in done.stderr
    assert "the table warehouse is empty" in done.stderr
    assert not list((bench.path / "runs").glob("*/*/trials/[0-9]*"))


@in_test_all
def test_data_that_nobody_has_checked_are_checked_once_by_who_asks(bench: Bench) -> None:
    """The snapshot is of a run that checks nothing; a seed of its own keeps it from other tests."""
    seed = str(secrets.randbelow(2**40))
    said = {}
    for number, when in enumerate(("never", "first_block", "every_trial")):
        write(bench, engine="InnoDB", check_data=when)
        one = ["--blocks", "1", "--duration", "1s", "--arms", "InnoDB", "--out", f"out{number}"]
        done = bench.dyno("run", "small/experiment.toml", "--seed", seed, *one)
        assert done.returncode == 0, done.stderr
        said[when] = done.stderr
    assert "loading the dataset for InnoDB" in said["never"]
    assert "checking the dataset" not in said["never"]
    assert "checking the dataset for InnoDB" in said["first_block"]
    assert "checking the dataset" not in said["every_trial"]
    for when in ("first_block", "every_trial"):
        assert "loading the dataset" not in said[when]


def test_a_snapshot_without_its_rows_is_found_by_who_checks(bench: Bench) -> None:
    seed = str(secrets.randbelow(2**40))
    arguments = ["run", "small/experiment.toml", "--seed", seed, "--blocks", "1", "--arms", "other"]
    write(bench, engine="BLACKHOLE", check_data="never")
    bench.dyno(*arguments, "--out", "unchecked")
    write(bench, engine="BLACKHOLE")
    for loads in (False, True):
        done = bench.dyno(*arguments)
        assert done.returncode == 7, done.stderr
        assert "error: the dataset loaded for 'other' failed its check" in done.stderr
        assert ("loading the dataset for other" in done.stderr) == loads, "thrown away, once found"
