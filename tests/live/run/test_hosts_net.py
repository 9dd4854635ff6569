"""A load host with a network and a clock of its own, which is reached over a link that can be cut.
Another is on the servers' host.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from hosting import hosted, hosts_command, write_hosts
from namespaces import Apart, all_agents, apart, can_be_apart, have_joined
from processes import servers_of
from small_run import Bench, heard_out
from thinned import in_test_all
from waiting import wait_until

from dyno.errors import StoreError

SERVER, LOAD, NEAR = "10.99.7.1", "10.99.7.2", "127.0.0.2"
# A lease lasts 3 s; the trial would go on for a minute.
GONE_S = 30.0


@dataclass
class Far:
    """The load host: its agent, which may end, its folder, which is a small disk, and the file of
    all hosts.
    """

    file: Path
    host: Apart
    agent: subprocess.Popen[bytes]


@pytest.fixture
def far(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Far]:
    if not request.config.getoption("--apart") or not can_be_apart():
        pytest.skip("needs ip, and a network of its own: pytest -n 1 --apart as root")
    with ExitStack() as stack:
        host = stack.enter_context(apart(SERVER, {"load1": LOAD}))["load1"]
        disk = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(host.home)]
        subprocess.run(disk, check=True)
        # A killed agent may hold it for a moment when it is unmounted.
        stack.callback(subprocess.run, ["umount", "-l", str(host.home)], check=True)
        file = write_hosts(tmp_path, server=SERVER, loads={"load1": LOAD, "load2": NEAR})
        stack.enter_context(hosted(file))
        agents = stack.enter_context(all_agents({"load1": host}, file))
        yield Far(file, host, agents["load1"])


def listening(pid: int) -> set[str]:
    """The IPv4 addresses on which somebody accepts connections in the network of a process."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    places = {row[1].partition(":")[0] for row in rows if row[3] == "0A"}
    return {socket.inet_ntoa(bytes.fromhex(place)[::-1]) for place in places}


def gone_after_s(far: Far) -> float:
    """Wait until the load host has stopped its load, which takes as long as a lease."""
    since_s = time.monotonic()
    wait_until(lambda: not far.host.loads(), GONE_S)
    return time.monotonic() - since_s


@in_test_all
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
        (far.host.home / "filler").write_bytes(bytes(8 << 20))
    ran = loads.dyno("run", "small/experiment.toml", "--hosts", str(far.file))
    assert ran.returncode == StoreError.exit_code, ran.stderr
    assert "load1: disk full while writing" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert far.host.loads() == []


def test_a_load_ends_with_its_driver_and_with_the_link_to_it(loads: Bench, far: Far) -> None:
    loads.edit('duration = "1s"', 'duration = "60s"')
    loads.edit("connections = [1, 4]", "connections = [4]")
    words = ("run", "small/experiment.toml")
    running = loads.begin_until(far.host.loads, *words, "--hosts", str(far.file))
    # Pages that nobody can see are served to the host itself.
    assert listening(os.getpid()) == {SERVER, NEAR, "127.0.0.1"}
    assert listening(far.agent.pid) == {LOAD, "127.0.0.1"}
    running.kill()
    killed_s = time.monotonic()
    # Somebody else may hold the ends of its pipes for a while.
    running.communicate()
    gone_after_s(far)
    print(f"the load was gone {time.monotonic() - killed_s:.1f} s after its driver")
    again = loads.begin_until(far.host.loads, *words, "--resume")
    far.host.cut()
    cut_s = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(heard_out, again, 120)
        print(f"the load was gone {gone_after_s(far):.1f} s after the cut")
        said = hearing.result()
    print(f"the run ended {time.monotonic() - cut_s:.1f} s after the cut")
    assert again.returncode == 4, said
    assert "load1 is lost: " in said
    assert "Traceback" not in said


@in_test_all
@pytest.mark.parametrize("after_s", [0.0, 1.5, 3.5])
def test_a_run_goes_on_once_a_cut_link_is_mended(loads: Bench, far: Far, after_s: float) -> None:
    """Cut as its second trial begins, as it measures, and about its end."""
    loads.edit('duration = "1s"', 'duration = "3s"')
    loads.edit("connections = [1, 4]", "connections = [4]")
    running = loads.begin_until(
        lambda: loads.has_planned(2) and far.host.loads(),
        *("run", "small/experiment.toml", "--hosts", str(far.file)),
    )
    time.sleep(after_s)
    far.host.cut()
    print(f"the load was gone {gone_after_s(far):.1f} s after the cut")
    _, said = running.communicate(timeout=120)
    assert running.returncode == 4, said
    assert "load1 is lost: " in said
    assert servers_of(loads.run_folder()) == []
    far.host.mend()
    wait_until(lambda: have_joined(far.file))
    again = loads.dyno("run", "small/experiment.toml", "--resume")
    assert again.returncode == 0, again.stderr
    assert [trial["status"] for trial in loads.all_trials()] == ["ok"] * 4
