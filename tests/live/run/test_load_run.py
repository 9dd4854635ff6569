"""`dyno run` of a load on real servers: a sweep in blocks, and everything that can go wrong."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import psutil
import pytest
from processes import servers_of
from small_run import Bench
from thinned import in_test_all

Wait = Callable[[Callable[[], object], float], None]


def one_error(text: str, *words: str) -> None:
    """The error is one line with these words, and no traceback is there."""
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, text
    assert "Traceback" not in text
    for word in words:
        assert word in text, text


def starts(bench: Bench) -> list[int]:
    """The numbers of the trials that had a server started for them."""
    return [trial["number"] for trial in bench.all_trials() if "start" in trial["steps"]]


def until_measured(bench: Bench, wait_for: Wait, *, trials: int) -> Path:
    """The run's folder, once this many trials are done and the next one's load runs."""
    done = f"runs/small/*/trials/{trials:04d}/trial.json"
    wait_for(lambda: list(bench.path.glob(done)), 120)
    folder = bench.run_folder()
    wait_for(lambda: list(folder.glob(f"trials/.{trials + 1:04d}.partial/load.json")), 60)
    return folder


def test_a_sweep_stores_what_happened_at_each_point(loads: Bench) -> None:
    done = loads.dyno("run", "small/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["trials_ok"] == 8
    trials = loads.all_trials()
    plan = json.loads((loads.run_folder() / "plan.json").read_text())
    turns = [(turn["arm"], turn["point"]) for order in plan["orders"] for turn in order]
    assert [(trial["arm"], trial["point"]) for trial in trials] == turns
    for trial in trials:
        assert trial["schema"] == 2
        assert trial["status"] == "ok"
        measured = trial["summary"]["phases"][-1]
        assert measured["phase"] == "measure"
        assert measured["connections"] == (1, 4)[trial["point"]]
        assert measured["ok"] > 0
        cost = trial["phases"]["measure"]
        assert cost["cpu_user_s"] + cost["cpu_system_s"] > 0
        assert cost["context_switches"] > 100
        # What the phase cost lies within what the whole load did.
        assert cost["cpu_user_s"] <= trial["server_cost"]["cpu_user_s"]
        assert cost["write_bytes"] <= trial["server_cost"]["write_bytes"]
        assert trial["status_by_phase"]["measure"]["Com_commit"] >= measured["ok"]
    folder = loads.run_folder() / "trials" / "0001"
    intervals = pl.read_parquet(folder / "intervals.parquet")
    assert {"retries", "backlog"} <= set(intervals.columns)
    ok = intervals.filter((pl.col("phase") == "measure") & (pl.col("outcome") == "ok"))
    assert ok["count"].sum() == trials[0]["summary"]["phases"][-1]["ok"]
    bins = pl.read_parquet(folder / "bins.parquet").filter(pl.col("phase") == "measure")
    assert bins["ended"].sum() == intervals.filter(pl.col("phase") == "measure")["count"].sum()
    assert 9 <= bins.filter(pl.col("t_s") < bins["t_s"].min() + 1).height <= 11


def test_each_block_starts_each_arms_server_once(loads: Bench) -> None:
    done = loads.dyno("run", "small/experiment.toml")
    assert done.returncode == 0, done.stderr
    plan = json.loads((loads.run_folder() / "plan.json").read_text())
    firsts = []
    for block, order in enumerate(plan["orders"]):
        for arm in ("A", "B"):
            position = next(i for i, turn in enumerate(order) if turn["arm"] == arm)
            firsts.append(block * 4 + position + 1)
    assert starts(loads) == sorted(firsts)
    for number in range(1, 9):
        log = loads.run_folder() / "trials" / f"{number:04d}" / "server.err"
        said = "ready for connections" in log.read_text()
        assert said == (number in firsts), "a log line is in the wrong trial"


@in_test_all
def test_a_trial_each_has_a_server_each_when_asked(loads: Bench) -> None:
    loads.edit('duration = "1s"', 'duration = "1s"\nrestart = "trial"')
    done = loads.dyno("run", "small/experiment.toml", "--blocks", "1")
    assert done.returncode == 0, done.stderr
    assert starts(loads) == [1, 2, 3, 4]


@in_test_all
def test_a_server_killed_in_mid_block_costs_one_trial(loads: Bench, wait_for: Wait) -> None:
    loads.edit('duration = "1s"', 'duration = "8s"')
    running = loads.begin("run", "small/experiment.toml", "--blocks", "1")
    folder = until_measured(loads, wait_for, trials=1)
    alive = servers_of(folder)
    assert len(alive) == 2, "in a block the servers of both arms are alive side by side"
    before_s = {process.pid: process.cpu_times().user for process in alive}

    def loaded() -> psutil.Process | None:
        """The server that has worked since then; the other one only waits."""
        used_s = {process: process.cpu_times().user - before_s[process.pid] for process in alive}
        return next((process for process in alive if used_s[process] > 0.1), None)

    wait_for(loaded, 30)
    victim = loaded()
    assert victim is not None
    victim.kill()
    _, words = running.communicate(timeout=300)
    assert running.returncode == 0, words
    assert "failed: the server died in mid-trial" in words
    trials = loads.all_trials()
    assert [trial["number"] for trial in trials if trial["status"] == "failed"] == [2]
    again = next(t for t in trials[2:] if t["arm"] == trials[1]["arm"])
    assert len(starts(loads)) == 3
    assert {"restore", "start"} <= again["steps"].keys(), "again, on restored data"


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("trials/[0-9]*/*"))
    }


@in_test_all
def test_kill_minus_nine_in_mid_block_and_resume_runs_only_what_is_missing(
    loads: Bench, wait_for: Wait
) -> None:
    running = loads.begin("run", "small/experiment.toml")
    folder = until_measured(loads, wait_for, trials=2)
    servers = servers_of(folder)
    assert len(servers) == 2
    before = digests(folder)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    wait_for(
        lambda: all(not p.is_running() or p.status() == psutil.STATUS_ZOMBIE for p in servers), 5
    )
    running.communicate()
    resumed = loads.dyno("run", "small/experiment.toml", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert len(loads.trials()) == 8
    after = digests(folder)
    assert {name: after[name] for name in before} == before
    assert json.loads((folder / "run.json").read_text())["state"] == "complete"


def test_ctrl_c_in_mid_block_leaves_a_whole_folder_and_no_server(
    loads: Bench, wait_for: Wait
) -> None:
    running = loads.begin("run", "small/experiment.toml")
    folder = until_measured(loads, wait_for, trials=1)
    assert len(servers_of(folder)) == 2
    os.killpg(running.pid, signal.SIGINT)
    _, words = running.communicate(timeout=120)
    assert running.returncode == 130, words
    one_error(words, "interrupted", "--resume")
    assert json.loads((folder / "run.json").read_text())["state"] == "interrupted"
    assert not list(folder.glob("trials/.*"))
    assert not servers_of(folder)


def test_ctrl_c_while_loading_leaves_no_run_and_no_server(loads: Bench, wait_for: Wait) -> None:
    loads.edit("table_size = 500", "table_size = 3000000")
    running = loads.begin("run", "small/experiment.toml")
    wait_for(lambda: list(loads.path.glob("runs/small/*")), 60)
    folder = loads.run_folder()
    wait_for(lambda: servers_of(folder), 60)
    os.killpg(running.pid, signal.SIGINT)
    _, words = running.communicate(timeout=300)
    assert running.returncode == 130, words
    one_error(words, "interrupted")
    assert not servers_of(folder)
    assert not folder.exists(), "nothing was measured"


def test_an_open_load_keeps_its_rate_and_its_lag(loads: Bench) -> None:
    loads.edit("connections = [1, 4]", "rate = [20.0]")
    loads.edit("profile = false\n", "")
    loads.edit('warmup = "200ms"', 'warmup = "2s"\nconnections = 4')
    loads.edit('think = "20ms"\n', "")
    loads.edit("oltp_read_write", "oltp_point_select")
    done = loads.dyno("run", "small/experiment.toml", "--blocks", "1")
    assert done.returncode == 0, done.stderr
    for trial in loads.all_trials():
        measured = trial["summary"]["phases"][-1]
        assert measured["model"] == "open"
        assert measured["send_lag"]["count"] > 0
        assert 15 <= measured["scheduled"] <= 80
        assert bool(trial.get("profile")) != bool(trial.get("profile_unavailable"))


def test_every_trial_of_a_first_block_is_profiled_or_says_why_not(loads: Bench) -> None:
    """With fewer than three blocks, which is what comparing profiles takes."""
    loads.edit("profile = false\n", "")
    done = loads.dyno("run", "small/experiment.toml", "--blocks", "2")
    assert done.returncode == 0, done.stderr
    for trial in loads.all_trials():
        asked = trial.get("profile") or trial.get("profile_unavailable")
        assert bool(asked) == (trial["block"] == 0), (trial["block"], trial["point"])
        assert bool(trial.get("profile")) == ("profiler" in trial)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'settings = { key_buffer_size = "16M" }',
            "settings = { max_prepared_stmt_count = 3 }",
            ("arm 'B'", "1461", "max_prepared_stmt_count"),
        ),
        (
            'settings = { key_buffer_size = "16M" }',
            "settings = { max_connections = 2 }",
            ("arm 'B'", "Too many connections", "max_connections"),
        ),
        ("tables = 2", 'tables = 2\nsession = ["SELEKT 1"]', ("SELEKT 1", "1064")),
        (
            "tables = 2",
            'tables = 2\nprepared = false\nsession = ["USE mysql"]',
            ("ops failed, most with error 1146", "mysql.sbtest"),
        ),
    ],
)
def test_what_the_server_refuses_ends_the_run_in_its_first_block(
    loads: Bench, old: str, new: str, words: tuple[str, ...]
) -> None:
    loads.edit(old, new)
    failed = loads.dyno("run", "small/experiment.toml")
    assert failed.returncode == 6, failed.stderr
    one_error(failed.stderr, *words)
    assert all(trial["block"] == 0 for trial in loads.all_trials())


def test_plain_progress_tells_ops_and_p95(loads: Bench) -> None:
    loads.edit('warmup = "200ms"', 'warmup = "2s"')
    begin_s = time.monotonic()
    done = loads.dyno("run", "small/experiment.toml", "--blocks", "1")
    took_s = time.monotonic() - begin_s
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stderr.splitlines() if "ops/s, p95" in line]
    assert shown, done.stderr
    assert "connection" in shown[0]
    assert len(shown) <= took_s / 10 + 1, "at most one line in ten seconds"
