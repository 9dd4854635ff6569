"""`dyno why` on a real server whose statement takes as long as its settings say."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import forks
import pytest
from hosting import LOADS, hosted, write_hosts
from processes import servers_of
from thinned import in_test_all
from waiting import wait_until

from dyno.home import find_home
from dyno.runner.tries import starts
from dyno.spec.experiment import Arm
from dyno.store.run import RunFolder

EXPERIMENT = """
title = "planted"
question = "Which settings were planted?"
[[arm]]
name = "plain"
server = "mariadb-debian"
baseline = true
settings = { max_error_count = 64, net_retry_count = 10, slow_launch_time = 2 }
[[arm]]
name = "planted"
server = "mariadb-debian"
settings = { max_error_count = 65, net_retry_count = 11, slow_launch_time = 3 }
[workload]
kind = "statements"
[[workload.table]]
name = "unused"
rows = 10
create = "CREATE TABLE unused (id INT) ENGINE={engine}"
columns = [{ name = "id", generate = "int", min = 0, max = 9 }]
[[workload.statement]]
name = "wait"
sql = \"\"\"
SELECT SLEEP(0.05 + 0.03 * (@@max_error_count = 65) + 0.01 * (@@net_retry_count = 11))
\"\"\"
[protocol]
rounds = 3
control = false
blocks = { first = 6, last = 6 }
"""


def command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "dyno.cli.main", *arguments, "--out", str(folder / "runs")]


def dyno(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = (*arguments, "--out", str(folder / "runs"))
    return forks.dyno(*words, limit_s=900, NO_COLOR="1", COLUMNS="150")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run in it, whose second arm is slower."""
    folder = tmp_path_factory.mktemp("why")
    finish(folder, "small", EXPERIMENT)
    return folder


def finish(folder: Path, name: str, text: str) -> None:
    """Run an experiment to its end."""
    (folder / name).mkdir()
    (folder / name / "experiment.toml").write_text(text)
    done = dyno(folder, "run", str(folder / name))
    assert done.returncode == 0, done.stderr


def searches(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("why-small/*"))


def ended(folder: Path, until: str, by: signal.Signals, *arguments: str) -> tuple[int, str]:
    """Exit code and messages of a command that gets a signal once a new trial is there."""
    before = set((folder / "runs").glob(until))
    process = subprocess.Popen(
        command(folder, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    wait_until(lambda: set((folder / "runs").glob(until)) - before)
    process.send_signal(by)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def stopped(folder: Path, until: str, *arguments: str) -> str:
    """What a command says that gets Ctrl-C once a trial is there."""
    code, err = ended(folder, until, signal.SIGINT, *arguments)
    assert code == 130, err
    return err


def budget(folder: Path, trials: int) -> str:
    """The time that this number of the run's own trials takes."""
    (run,) = (folder / "runs" / "small").iterdir()
    elapsed_s = json.loads((run / "run.json").read_text())["elapsed_s"]
    return f"{trials * elapsed_s / len(list((run / 'trials').iterdir())):.0f}s"


def kept_trials(folder: Path, least: int) -> dict[Path, int]:
    """The whole trials of the newest search, with when they were written."""
    files = searches(folder)[-1].glob("trials/*/trial.json")
    kept = {file: file.stat().st_mtime_ns for file in files}
    assert len(kept) >= least
    return kept


def resumed(folder: Path, kept: dict[Path, int]) -> dict[str, Any]:
    """What a search found that went on: what was measured is as it was, and counts."""
    done = dyno(folder, "why", "small", "--resume", "--json")
    assert done.returncode == 0, done.stderr
    causes: dict[str, Any] = json.loads(done.stdout)
    assert all(file.stat().st_mtime_ns == at for file, at in kept.items())
    assert causes["run"]["trials"] > len(kept)
    return causes


def test_what_would_be_varied_is_shown_and_nothing_is_measured(found: Path) -> None:
    before = searches(found)
    done = dyno(found, "why", "small", "--check")
    assert done.returncode == 0, done.stderr
    assert "planted needs " in done.stdout
    assert " % more time than plain (wait, by time)." in done.stdout
    factors = [line.split() for line in done.stdout.splitlines() if line]
    assert ["max_error_count", "64", "65"] in factors
    assert ["net_retry_count", "10", "11"] in factors
    assert ["slow_launch_time", "2", "3"] in factors
    assert "starts  6 of servers with mixed settings before the first trial, " in done.stdout
    assert searches(found) == before


def test_a_search_that_was_stopped_goes_on_and_names_nothing_without_enough_trials(
    found: Path,
) -> None:
    """Ctrl-C in its first block of 16, then --resume, to the end of a budget for two or three."""
    err = stopped(found, "why-small/*/trials/0004", "why", "small", "--budget", budget(found, 40))
    assert "dyno why small --resume" in err
    assert "Traceback" not in err
    causes = resumed(found, kept_trials(found, least=4))
    folder = searches(found)[-1]
    assert [c for c in causes["causes"] if c["standing"] == "named"] == []
    assert (folder / "report.html").is_file()
    assert list(find_home().work.glob("run-*")) == []


@in_test_all
@pytest.mark.parametrize("trial", [2, 19])
def test_a_search_that_was_killed_goes_on(found: Path, trial: int) -> None:
    """kill -9 in its first block of 16, or in its second."""
    until = f"why-small/*/trials/{trial:04}"
    search = ["why", "small", "--seed", str(trial), "--budget", budget(found, 60)]
    code, _ = ended(found, until, signal.SIGKILL, *search)
    assert code == -signal.SIGKILL
    folder = searches(found)[-1]
    wait_until(lambda: servers_of(folder) == [], 30)
    resumed(found, kept_trials(found, least=trial - 1))
    assert searches(found)[-1] == folder
    assert list(find_home().work.glob("run-*")) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["why", "small", "--op", "other"], "no such comparison"),
        (["why", "small", "--budget", "0s"], "0 leaves no time"),
        (["why", "nothing"], "there is no run of 'nothing'"),
    ],
)
def test_what_cannot_be_explained_is_one_clear_line(
    found: Path, arguments: list[str], said: str
) -> None:
    done = dyno(found, *arguments)
    assert done.returncode in (2, 5), done.stderr
    assert said in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


@in_test_all
def test_the_planted_settings_are_named_with_their_shares(found: Path) -> None:
    done = dyno(found, "why", "small", "--json", "--seed", "7")
    assert done.returncode == 0, done.stderr
    causes: dict[str, Any] = json.loads(done.stdout)
    named = {c["name"]: c for c in causes["causes"] if c["standing"] == "named"}
    assert set(named) == {"max_error_count", "net_retry_count"}
    # 60 and 20 points, and what a server needs beside its sleep.
    assert 45 < named["max_error_count"]["points"] < 70
    assert 12 < named["net_retry_count"]["points"] < 28
    assert causes["run"]["void"] == 0


LOADED = """
title = "loaded"
question = "Which settings make loading slow?"
[[arm]]
name = "plain"
server = "mariadb-debian"
baseline = true
settings = { local_infile = "ON", net_retry_count = 10 }
[[arm]]
name = "planted"
server = "mariadb-debian"
settings = { local_infile = "OFF", net_retry_count = 11 }
[workload]
kind = "oltp"
script = "oltp_point_select"
tables = 1
table_size = 60000
[protocol]
connections = 1
warmup = "0s"
duration = "1s"
loads = 6
control = false
blocks = { first = 6, last = 6 }
"""


@in_test_all
def test_the_time_of_a_load_is_explained_by_a_load_before_each_trial(tmp_path: Path) -> None:
    finish(tmp_path, "loaded", LOADED)
    done = dyno(tmp_path, "why", "loaded", "--metric", "load_time", "--budget", "1m")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs" / "why-loaded").iterdir()
    trials = list(RunFolder.open(folder).trials())
    assert len(trials) >= 8
    assert all(trial.loading is not None and trial.loading.load_s > 0 for trial in trials)


def shortest_ms(run: RunFolder) -> dict[str, float]:
    """Of each arm's statements the one that waited least; never less than it sleeps."""
    took_ns: dict[str, list[int]] = {}
    for trial in run.trials():
        took_ns.setdefault(trial.arm, []).extend(trial.latencies_ns("wait"))
    return {arm: min(each) / 1e6 for arm, each in took_ns.items()}


def test_the_values_of_one_setting_are_the_arms_of_a_run(found: Path) -> None:
    """Ctrl-C, then --resume; 66 does nothing, 65 is the planted value."""
    curve = ["why", "small", "--curve", "max_error_count=66,64", "--budget", "20s"]
    shown = dyno(found, *curve, "--check")
    assert shown.returncode == 0, shown.stderr
    assert "max_error_count = 66" in shown.stdout
    assert "Run it with: dyno why small --curve" in shown.stdout
    assert "--check" not in shown.stdout
    err = stopped(found, "curve-small/*/trials/0001", *curve)
    assert "dyno why small --curve max_error_count=66,64 --resume" in err
    other = dyno(found, "why", "small", "--curve", "net_retry_count=12", "--resume")
    assert (other.returncode, other.stderr.count("\n")) == (2, 3), other.stderr
    assert "there is no unfinished --curve net_retry_count of small in " in other.stderr
    done = dyno(found, *curve, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    compared = {c["numerator_arm"] for c in json.loads(done.stdout)["compared"]}
    assert compared == {"max_error_count = 66", "max_error_count = 65"}
    (run,) = (found / "runs").glob("curve-small/*")
    took_ms = shortest_ms(RunFolder(run))
    assert took_ms["max_error_count = 65"] >= 80
    assert 50 <= took_ms["max_error_count = 66"] < 80


@pytest.mark.parametrize(
    ("engine", "has"), [("Aria", True), ("aria ROW_FORMAT=PAGE", True), ("NDB", False)]
)
def test_a_server_without_an_arms_engine_refuses_it(engine: str, has: bool) -> None:
    arm = Arm.model_validate({"name": "a", "server": "mariadb-debian", "engine": engine})
    assert starts(arm, note=print) is has


@in_test_all
def test_a_host_that_made_the_load_makes_that_of_the_search(found: Path, tmp_path: Path) -> None:
    shutil.copytree(found / "small", tmp_path / "small")
    with hosted(write_hosts(tmp_path, loads={"load1": LOADS["load1"]})) as hosts:
        done = dyno(tmp_path, "run", str(tmp_path / "small"), "--hosts", str(hosts.file))
        assert done.returncode == 0, done.stderr
        done = dyno(tmp_path, "why", "small", "--curve", "max_error_count=64,65", "--json")
        assert done.returncode == 0, done.stderr
    for file in (tmp_path / "runs").glob("curve-small/*/trials/*/trial.json"):
        assert json.loads(file.read_text())["load_hosts"][0]["name"] == "load1"
