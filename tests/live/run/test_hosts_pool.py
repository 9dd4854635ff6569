"""Servers on hosts other than Dyno's own: one set, and two sets that measure at once."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hosting import hosted
from namespaces import Apart, all_agents, apart, can_be_apart
from processes import servers_of
from small_run import Bench
from thinned import in_test_all
from waiting import wait_until

from dyno.servers.server import free_port

DRIVER = "10.99.8.1"
HOSTS = {
    "db1": "10.99.8.2",
    "load1": "10.99.8.3",
    "db2": "10.99.8.4",
    "load2": "10.99.8.5",
}
SETS = """
[[set]]
name = "a"
server = "db1"
load = ["load1"]
[[set]]
name = "b"
server = "db2"
load = ["load2"]
"""


@dataclass
class PoolOfHosts:
    """A file of two sets, and their hosts."""

    file: Path
    hosts: dict[str, Apart]
    agents: dict[str, subprocess.Popen[bytes]]

    def loads(self) -> list[psutil.Process]:
        """All dynoloads of its hosts."""
        return [load for host in self.hosts.values() for load in host.loads()]


def hosts_text() -> str:
    text = f"schema = 1\n[engine]\nport = {free_port(DRIVER)}\nworker_port = 8787\n"
    roles = {"driver": (DRIVER, "driver")} | {
        name: (address, "server" if name.startswith("db") else "load")
        for name, address in HOSTS.items()
    }
    for name, (address, role) in roles.items():
        text += f'[[host]]\nname = "{name}"\naddress = "{address}"\nroles = ["{role}"]\n'
    return text + SETS


@pytest.fixture
def pool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PoolOfHosts]:
    if not request.config.getoption("--apart") or not can_be_apart():
        pytest.skip("needs ip, and a network of its own: pytest -n 1 --apart as root")
    with ExitStack() as stack:
        hosts = stack.enter_context(apart(DRIVER, HOSTS))
        file = tmp_path / "hosts.toml"
        file.write_text(hosts_text())
        stack.enter_context(hosted(file))
        agents = stack.enter_context(all_agents(hosts, file))
        yield PoolOfHosts(file, hosts, agents)


def begun(bench: Bench, pool: PoolOfHosts, duration: str) -> subprocess.Popen[str]:
    """A run of trials of this length, of which the first is on disk."""
    bench.edit('duration = "1s"', f'duration = "{duration}"')
    return bench.begin_until(
        lambda: list(bench.path.glob("runs/small/*/trials/0001")),
        *("run", "small/experiment.toml", "--hosts", str(pool.file)),
    )


def test_blocks_rotate_over_the_sets(loads: Bench, pool: PoolOfHosts) -> None:
    loads.edit("connections = [1, 4]", "connections = [4]")
    done = loads.dyno("run", "small/experiment.toml", "--hosts", str(pool.file))
    assert done.returncode == 0, done.stderr
    trials = loads.all_trials()
    assert [trial["status"] for trial in trials] == ["ok"] * 4
    assert [trial["load_hosts"][0]["name"] for trial in trials] == ["load1"] * 2 + ["load2"] * 2
    assert [trial["number"] for trial in trials] == [1, 2, 3, 4]
    folder = loads.run_folder()
    facts = json.loads((folder / "host.json").read_text())
    assert list(facts["server_hosts"]) == ["db1", "db2"]
    assert list(facts["load_hosts"]) == ["load1", "load2"]
    assert (folder / "servers" / "mariadb-10.1.8.json").exists()
    for host in pool.hosts.values():
        assert list((host.home / "work").glob("run-*")) == []


@in_test_all
def test_one_set_by_its_name(loads: Bench, pool: PoolOfHosts) -> None:
    loads.edit("connections = [1, 4]", "connections = [4]")
    done = loads.dyno(
        "run", "small/experiment.toml", "--hosts", str(pool.file), "--set", "b", "--blocks", "1"
    )
    assert done.returncode == 0, done.stderr
    assert [trial["load_hosts"][0]["name"] for trial in loads.all_trials()] == ["load2"] * 2


@in_test_all
@pytest.mark.parametrize("after_s", [0.0, 1.5, 3.5])
def test_without_its_driver_nothing_goes_on_and_later_it_does(
    loads: Bench, pool: PoolOfHosts, after_s: float
) -> None:
    running = begun(loads, pool, "4s")
    wait_until(pool.loads)
    time.sleep(after_s)
    running.send_signal(signal.SIGKILL)
    killed_s = time.monotonic()
    running.communicate()
    wait_until(lambda: not pool.loads(), 30)
    print(f"no load was left {time.monotonic() - killed_s:.1f} s after the driver")
    wait_until(lambda: servers_of(loads.run_folder()) == [], 30)
    print(f"no server was left {time.monotonic() - killed_s:.1f} s after the driver")
    before = loads.trials()
    done = loads.dyno("run", "small/experiment.toml", "--resume")
    assert done.returncode == 0, done.stderr
    assert len(loads.trials()) == 8
    assert set(before) <= set(loads.trials())


@in_test_all
def test_ctrl_c_ends_it_whole_on_all_hosts(loads: Bench, pool: PoolOfHosts) -> None:
    running = begun(loads, pool, "20s")
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert servers_of(loads.run_folder()) == []
    state = json.loads((loads.run_folder() / "run.json").read_text())
    assert (state["state"], state["reason"]) == ("interrupted", "stopped by the user")
    for host in pool.hosts.values():
        assert list((host.home / "work").glob("run-*")) == []


@in_test_all
def test_a_server_host_that_is_lost_costs_what_its_block_lacks(
    loads: Bench, pool: PoolOfHosts
) -> None:
    running = begun(loads, pool, "4s")
    (worker,) = [
        each
        for each in subprocess.run(
            ["pgrep", "-f", r"dask worker .*--name db2"], capture_output=True, text=True
        ).stdout.split()
    ]
    subprocess.run(["kill", "-9", worker], check=True)
    _, said = running.communicate(timeout=240)
    assert running.returncode == 0, said
    assert "db2 is lost: " in said
    assert "is run again" in said
    assert len(loads.trials()) == 8
