"""`dyno run --hosts`: other hosts make the load."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hosting import LOADS, Hosting, hosted, hosts_command, write_hosts
from small_run import Bench
from thinned import in_test_all

from dyno.servers.account import TCP_USER

NAMES = list(LOADS)


def run(bench: Bench, hosts: Hosting) -> list[str]:
    return ["run", "small/experiment.toml", "--hosts", str(hosts.file)]


def test_two_hosts_make_the_load(loads: Bench, hosts: Hosting) -> None:
    loads.edit("connections = [1, 4]", "connections = [1, 5]")
    done = loads.dyno(*run(loads, hosts))
    assert done.returncode == 0, done.stderr
    # Beside other tests hosts may begin apart, which voids a trial, but doesn't fail it.
    assert [trial["status"] for trial in loads.all_trials()] == ["ok"] * 8
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
            assert host["clock_bound_us"] > 0
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


def with_tls(folder: Path) -> Path:
    """A file of hosts whose load is encrypted."""
    file = write_hosts(folder)
    file.write_text(file.read_text().replace("[engine]", "[engine]\nload_tls = true"))
    return file


def test_a_load_over_tls_checks_the_server(loads: Bench, tmp_path: Path) -> None:
    loads.edit("connections = [1, 4]", "connections = [2]")
    for name in ("mariadb-trixie", "mysql-sid"):
        loads.edit('server = "mariadb-10.1.8"', f'server = "{name}"')
    with hosted(with_tls(tmp_path)) as hosts:
        done = loads.dyno(*run(loads, hosts), "--blocks", "1")
    assert done.returncode == 0, done.stderr
    for trial in loads.all_trials():
        assert trial["status"] == "ok", trial["failure"]
        folder = loads.run_folder() / "trials" / f"{trial['number']:04d}"
        target = json.loads((folder / "load.json").read_text())["target"]
        # Whoever asks for `verify` goes without TLS nowhere.
        assert target["tls"] == "verify"
        assert "ssl_cert = " in (folder / "my.cnf").read_text()
    files = [path for path in loads.run_folder().rglob("*") if path.is_file()]
    assert not [path for path in files if b"PRIVATE KEY" in path.read_bytes()]


@in_test_all
@pytest.mark.parametrize("name", ["mysql-5.5.9", "mysql-5.6.24", "mariadb-10.1.8"])
def test_a_server_too_old_for_tls_says_so(loads: Bench, tmp_path: Path, name: str) -> None:
    loads.edit('server = "mariadb-10.1.8"', f'server = "{name}"')
    with hosted(with_tls(tmp_path)) as hosts:
        done = loads.dyno(*run(loads, hosts), "--blocks", "1")
    assert done.returncode != 0
    assert "error: arm 'A': load1: TLS: the server offers no TLS" in done.stderr


def test_hosts_are_looked_at(hosts: Hosting) -> None:
    done = subprocess.run(hosts_command(hosts.file, "check", "--json"), capture_output=True)
    assert done.returncode == 0, done.stderr
    for host in json.loads(done.stdout):
        assert host["name"] in NAMES
        assert host["problem"] is None
        # Wall clocks are read a little less well than the way to the host is known.
        assert abs(host["ahead_ms"]) <= host["bound_ms"] + 1
        assert host["network"]["bytes_per_s"] > 0
        assert host["most_per_s"] > 1000
        assert 0 < host["agent_cpu_share_pct"] < 100
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
