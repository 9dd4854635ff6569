"""A load host with a network and a clock of its own, which is reached over a link that can be cut.
Another is on the servers' host.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hosting import hosted, hosts_command, write_hosts
from small_run import Bench
from thinned import in_test_all
from waiting import wait_until

from dyno.errors import StoreError

SERVER, LOAD, NEAR = "10.99.7.1", "10.99.7.2", "127.0.0.2"
# A lease lasts 3 s; the trial would go on for a minute.
GONE_S = 30.0
# As if it had been started a day earlier: any two machines differ by that much, or more.
CLOCK = ["-T", "--monotonic", "86400"] if Path("/proc/self/ns/time").exists() else []


def enter(pid: int) -> list[str]:
    """Run in the network of a process, and by its clock."""
    return ["nsenter", "-t", str(pid), "-n", *CLOCK[:1]]


def ip(*words: str, inside: int | None = None) -> None:
    there = [] if inside is None else enter(inside)
    subprocess.run([*there, "ip", *words], check=True)


@dataclass
class Far:
    """The load host: its agent, which may end, its folder, which is a small disk, and the file of
    all hosts.
    """

    file: Path
    agent: subprocess.Popen[bytes]
    home: Path

    def loads(self) -> list[psutil.Process]:
        """All dynoloads of the load host."""
        return [each for each in psutil.process_iter(["name"]) if self._is_load(each)]

    def _is_load(self, process: psutil.Process) -> bool:
        try:
            return process.name() == "dynoload" and self._network(process.pid) == self._network(
                self.agent.pid
            )
        except (psutil.NoSuchProcess, OSError):
            return False

    def _network(self, pid: int) -> str:
        return str(Path(f"/proc/{pid}/ns/net").readlink())


@pytest.fixture
def far(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Far]:
    if not request.config.getoption("--apart") or shutil.which("ip") is None:
        pytest.skip("needs ip, and a network of its own: pytest -n 1 --apart as root")
    with ExitStack() as stack:
        inside = subprocess.Popen(["unshare", "-n", *CLOCK, "sleep", "600"])
        stack.callback(inside.wait)
        stack.callback(inside.kill)
        wait_until(lambda: _is_apart(inside.pid))
        ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(inside.pid))
        stack.callback(ip, "link", "del", "near")
        ip("link", "set", "lo", "up", inside=inside.pid)
        for name, address, pid in (("near", SERVER, None), ("far", LOAD, inside.pid)):
            ip("addr", "add", f"{address}/24", "dev", name, inside=pid)
            ip("link", "set", name, "up", inside=pid)
        file = write_hosts(tmp_path, server=SERVER, loads={"load1": LOAD, "load2": NEAR})
        stack.enter_context(hosted(file))
        home = tmp_path / "home"
        home.mkdir()
        # A killed agent may hold it for a moment when it is unmounted.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(home)], check=True)
        stack.callback(subprocess.run, ["umount", "-l", str(home)], check=True)
        agent = subprocess.Popen(
            [*enter(inside.pid), *hosts_command(file, "agent", "load1")],
            env=os.environ | {"DYNO_HOME": str(home)},
        )
        stack.callback(agent.wait)
        stack.callback(agent.kill)
        check = hosts_command(file, "check")
        wait_until(lambda: agent.poll() or not subprocess.run(check, stdout=-1).returncode)
        assert agent.poll() is None
        yield Far(file, agent, home)


def _is_apart(pid: int) -> bool:
    return Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/thread-self/ns/net").readlink()


def listening(pid: int) -> set[str]:
    """The IPv4 addresses on which somebody accepts connections in the network of a process."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    places = {row[1].partition(":")[0] for row in rows if row[3] == "0A"}
    return {socket.inet_ntoa(bytes.fromhex(place)[::-1]) for place in places}


def gone_after_s(far: Far) -> float:
    """Wait until the load host has stopped its load, which takes as long as a lease."""
    since_s = time.monotonic()
    wait_until(lambda: not far.loads(), GONE_S)
    return time.monotonic() - since_s


def test_hosts_with_other_clocks_begin_together(loads: Bench, far: Far) -> None:
    done = subprocess.run(hosts_command(far.file, "check", "--json"), capture_output=True)
    assert done.returncode == 0, done.stderr
    # How long a host has been up doesn't matter to its wall clock.
    assert [abs(host["ahead_ms"]) < 1000 for host in json.loads(done.stdout)] == [True, True]
    loads.edit("connections = [1, 4]", "connections = [4]")
    ran = loads.dyno("run", "small/experiment.toml", "--hosts", str(far.file))
    assert ran.returncode == 0, ran.stderr
    for trial in loads.all_trials():
        assert trial["status"] == "ok", trial["failure"]
        for host in trial["load_hosts"]:
            # Had a day's difference come through, it wouldn't have begun yet.
            assert host["clock_bound_us"] < 1e6
            assert host["measured"]["ok"] > 0


@in_test_all
def test_a_full_disk_is_named_with_its_host(loads: Bench, far: Far) -> None:
    with pytest.raises(OSError, match="No space left"):
        (far.home / "filler").write_bytes(bytes(8 << 20))
    ran = loads.dyno("run", "small/experiment.toml", "--hosts", str(far.file))
    assert ran.returncode == StoreError.exit_code, ran.stderr
    assert "load1: disk full while writing" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert far.loads() == []


def test_a_load_ends_with_its_driver_and_with_the_link_to_it(loads: Bench, far: Far) -> None:
    loads.edit('duration = "1s"', 'duration = "60s"')
    loads.edit("connections = [1, 4]", "connections = [4]")
    running = loads.begin("run", "small/experiment.toml", "--hosts", str(far.file))
    wait_until(lambda: far.loads() or running.poll() is not None)
    assert running.poll() is None, running.communicate()
    # Pages that nobody can see are served to the host itself.
    assert listening(os.getpid()) == {SERVER, NEAR, "127.0.0.1"}
    assert listening(far.agent.pid) == {LOAD, "127.0.0.1"}
    running.kill()
    running.communicate()
    print(f"the load was gone {gone_after_s(far):.1f} s after its driver")
    again = loads.begin("run", "small/experiment.toml", "--resume")
    wait_until(lambda: far.loads() or again.poll() is not None)
    assert again.poll() is None, again.communicate()
    ip("link", "set", "near", "down")
    cut_s = time.monotonic()
    print(f"the load was gone {gone_after_s(far):.1f} s after the cut")
    _, said = again.communicate(timeout=120)
    print(f"the run ended {time.monotonic() - cut_s:.1f} s after the cut")
    assert again.returncode == 4, said
    assert "load1 is lost: " in said
    assert "Traceback" not in said
