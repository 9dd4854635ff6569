"""`dyno run --hosts`: other hosts make the load, vanish, and come back."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosting import LOADS, Hosting, hosted, hosts_command, write_hosts
from small_run import Bench, servers_of
from thinned import in_test_all
from waiting import wait_until

from dyno.servers.account import TCP_USER

NAMES = list(LOADS)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosting]:
    with hosted(write_hosts(tmp_path_factory.mktemp("hosts"))) as found:
        yield found


@pytest.fixture
def slow_loads(loads: Bench) -> Bench:
    """With trials long enough to be disturbed."""
    loads.edit('duration = "1s"', 'duration = "3s"')
    loads.edit("connections = [1, 4]", "connections = [4]")
    return loads


def run(bench: Bench, hosts: Hosting) -> list[str]:
    return ["run", "small/experiment.toml", "--hosts", str(hosts.file)]


def until_loaded(bench: Bench, hosts: Hosting, trial: int) -> None:
    """Until both hosts make the load of a trial."""
    plan = f"runs/small/*/trials/.{trial:04d}.partial/load.json"
    wait_until(lambda: list(bench.path.glob(plan)) and len(hosts.loads()) == len(NAMES))


def test_two_hosts_make_the_load(loads: Bench, hosts: Hosting) -> None:
    loads.edit("connections = [1, 4]", "connections = [1, 5]")
    done = loads.dyno(*run(loads, hosts), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["trials_ok"] == 8
    assert hosts.loads() == []
    folder = loads.run_folder()
    for trial in loads.all_trials():
        whole = trial["summary"]["phases"][-1]
        busy = [host for host in trial["load_hosts"] if "measured" in host]
        parts = [host["measured"] for host in busy]
        assert [host["name"] for host in trial["load_hosts"]] == NAMES
        for key in ("ok", "scheduled", "connections"):
            assert sum(part[key] for part in parts) == whole[key]
        assert [part["connections"] for part in parts] == ([3, 2] if trial["point"] else [1])
        for host in busy if trial["point"] else []:
            assert host["clock_bound_us"] < 10_000
            assert host["late_us"] >= 0
        for host in busy:
            assert 0 < host["cpu_busy_pct"] <= 100
            assert host["agent_cpu_share_pct"] > 0
            watched = (
                folder / "trials" / f"{trial['number']:04d}" / f"telemetry-{host['name']}.parquet"
            )
            assert watched.exists()
        for host in trial["load_hosts"]:
            assert host["network"]["round_trip_us"] <= host["network"]["round_trip_p99_us"]
            assert host["network"]["bytes_per_s"] > 0
        assert "generator" not in trial["placement"]
    facts = json.loads((folder / "host.json").read_text())["load_hosts"]
    assert list(facts) == NAMES
    target = json.loads((folder / "trials" / "0001" / "load.json").read_text())["target"]
    assert (target["host"], target["user"]) == ("127.0.0.1", TCP_USER)
    assert "load1" in (folder / "report.html").read_text()


def test_an_agent_that_dies_costs_one_trial_which_is_run_again(
    slow_loads: Bench, hosts: Hosting
) -> None:
    running = slow_loads.begin(*run(slow_loads, hosts))
    until_loaded(slow_loads, hosts, 2)
    before = {each.pid for each in hosts.loads()}
    hosts.agent("load2").kill()
    _, said = running.communicate(timeout=180)
    assert running.returncode == 0, said
    assert "is void: load2 is lost: " in said
    assert "it is run again" in said
    assert [trial["status"] for trial in slow_loads.all_trials()] == ["ok"] * 4
    assert not before & {each.pid for each in hosts.loads()}


@in_test_all
def test_after_its_driver_was_killed_a_run_goes_on_with_its_hosts(
    slow_loads: Bench, hosts: Hosting
) -> None:
    running = slow_loads.begin(*run(slow_loads, hosts))
    until_loaded(slow_loads, hosts, 2)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=60)
    wait_until(lambda: not hosts.loads())
    assert servers_of(slow_loads.run_folder()) == []
    done = slow_loads.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 0, done.stderr
    trials = slow_loads.all_trials()
    assert [[host["name"] for host in trial["load_hosts"]] for trial in trials] == [NAMES] * 4


@in_test_all
def test_without_its_scheduler_a_run_ends_whole_and_goes_on_later(
    slow_loads: Bench, tmp_path: Path
) -> None:
    file = write_hosts(tmp_path)
    with hosted(file) as hosts:
        running = slow_loads.begin(*run(slow_loads, hosts))
        until_loaded(slow_loads, hosts, 2)
        hosts.agent("scheduler").kill()
        _, said = running.communicate(timeout=180)
        assert running.returncode == 4, said
        assert "load" in said
        assert "Traceback" not in said
        assert slow_loads.trials() == ["0001"]
        wait_until(lambda: hosts.up.poll() is not None)
    done = slow_loads.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 4
    assert "no scheduler answers" in done.stderr
    with hosted(file):
        done = slow_loads.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 0, done.stderr
    assert len(slow_loads.trials()) == 4


def test_hosts_are_looked_at(hosts: Hosting) -> None:
    done = subprocess.run(hosts_command(hosts.file, "check", "--json"), capture_output=True)
    assert done.returncode == 0, done.stderr
    for host in json.loads(done.stdout):
        assert host["name"] in NAMES
        assert host["problem"] is None
        assert abs(host["ahead_ms"]) <= host["bound_ms"]
        assert host["network"]["bytes_per_s"] > 0
        assert host["most_per_s"] > 1000
        assert host["facts"]["filesystem_free_bytes"] > 0


def test_statements_need_one_host(bench: Bench, hosts: Hosting) -> None:
    done = bench.dyno(*run(bench, hosts))
    assert done.returncode == 2
    assert done.stderr.startswith("error: statements are run by one host")
    assert not (bench.path / "runs").exists()


@in_test_all
def test_one_host_runs_statements(bench: Bench, tmp_path: Path) -> None:
    with hosted(write_hosts(tmp_path, loads={"load1": LOADS["load1"]})) as hosts:
        done = bench.dyno(*run(bench, hosts), "--blocks", "1")
    assert done.returncode == 0, done.stderr
    for trial in bench.all_trials():
        assert trial["status"] == "ok"
        assert {run["statement"] for run in trial["statements"]} == {"sum", "wait"}
        assert [host["name"] for host in trial["load_hosts"]] == ["load1"]
