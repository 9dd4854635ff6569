"""Agents here: one at rest, as a run leaves it between loads, and several that make a load."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psutil

from benches.child import Cost
from benches.stand import Sample, Stand
from dyno.errors import LoadError
from dyno.hosts.authority import make_certificates
from dyno.hosts.ceiling import CONNECTIONS, no_server_plan
from dyno.hosts.certificates import Certificates
from dyno.hosts.deploy import Deployed
from dyno.hosts.elsewhere import Elsewhere
from dyno.hosts.engine import agents_seen, connected, joined
from dyno.hosts.fleet import all_commands
from dyno.hosts.lean import lean_settings
from dyno.hosts.up import READY_S, Agents
from dyno.servers.server import free_port
from dyno.spec.inventory import Inventory

SERVER = "127.0.0.1"
REST_S = 10
# What joining cost isn't rest.
SETTLE_S = 2.0
WINDOW_S = 0.01


def resting(stand: Stand) -> Sample:
    """Joined by a run, and left alone: its CPU time over the window, and the memory that it alone
    holds of what it shares with others (PSS).
    """
    seconds = max(stand.seconds, REST_S)
    with hosts_here(1):
        (agent,) = workers()
        time.sleep(SETTLE_S)
        clock = cpu_clock(agent.pid)
        begun_s, before_s = time.monotonic(), time.clock_gettime(clock)
        busiest_ms = busiest_window_ms(clock, until_s=begun_s + seconds)
        elapsed_s, cpu_s = time.monotonic() - begun_s, time.clock_gettime(clock) - before_s
        memory_bytes = agent.memory_full_info().pss
    cost = Cost(wall_s=elapsed_s, cpu_s=cpu_s, rss_bytes_max=memory_bytes)
    return Sample(cost=cost, ops=0, elapsed_s=elapsed_s, cpu_s=cpu_s, busiest_ms=busiest_ms)


def cpu_clock(pid: int) -> int:
    """The clock of the CPU time that all threads of a process took, as clock_getcpuclockid(3) has
    it: to the nanosecond, where /proc has ticks of 10 ms.
    """
    return (~pid << 3) | 2


def busiest_window_ms(clock: int, *, until_s: float) -> float:
    """The most CPU time, in ms, that such a clock went on in a window, one after the other."""
    busiest_s, before_s = 0.0, time.clock_gettime(clock)
    while time.monotonic() < until_s:
        time.sleep(WINDOW_S)
        now_s = time.clock_gettime(clock)
        busiest_s, before_s = max(busiest_s, now_s - before_s), now_s
    return 1000 * busiest_s


def loading(stand: Stand, *, count: int) -> Sample:
    """A load without a server, by this many hosts with a CPU each."""
    cpus = sorted(os.sched_getaffinity(0))
    with hosts_here(count) as hosts:
        for agent, cpu in zip(workers(), cpus, strict=False):
            for thread in agent.threads():
                os.sched_setaffinity(thread.id, {cpu})
        begun_s = time.monotonic()
        plan = no_server_plan(connections=CONNECTIONS * count, seconds=stand.seconds)
        result = hosts.group(plan).run(password=None, on_event=lambda _: None, look=lambda: None)
        wall_s = time.monotonic() - begun_s
    if result.failure is not None:
        raise LoadError(result.failure)
    parts = result.by_host.values()
    phases = [part.phase for part in parts]
    late_ns = [part.late_ns for part in parts if part.late_ns is not None]
    cpu_s = sum(phase.client.cpu_s for phase in phases if phase.client)
    return Sample(
        cost=Cost(wall_s=wall_s, cpu_s=cpu_s, rss_bytes_max=None),
        ops=sum(phase.ok for phase in phases),
        elapsed_s=max(phase.elapsed_s for phase in phases),
        cpu_s=cpu_s,
        late_ms=max(late_ns) / 1e6 if late_ns else None,
    )


@contextmanager
def hosts_here(count: int) -> Iterator[Elsewhere]:
    """A scheduler and agents on this host, all joined."""
    loads = [
        {"name": f"load{number}", "address": f"127.0.1.{number}", "roles": ["load"]}
        for number in range(1, count + 1)
    ]
    inventory = Inventory.model_validate(
        {
            "schema": 1,
            "engine": {"port": free_port(SERVER), "worker_port": free_port("127.0.1.1")},
            "host": [{"name": "db1", "address": SERVER, "roles": ["server"]}, *loads],
        }
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dyno-bench-")))
        keys = Certificates(folder / "tls")
        make_certificates(inventory, keys)
        commands = all_commands(inventory, keys, Deployed(inventory))
        environment = os.environ | lean_settings(keys)
        agents = stack.enter_context(closing(Agents(commands, environment, folder / "agents")))
        with connected(inventory, keys) as client:
            agents.wait(lambda: agents_seen(client), limit_s=READY_S + 3 * count)
        yield stack.enter_context(joined(inventory, None, keys))


def workers() -> list[psutil.Process]:
    """The agents that this process started."""
    children = psutil.Process().children(recursive=True)
    return [each for each in children if "worker" in each.cmdline()]


def scheduler() -> psutil.Process:
    """What they meet at."""
    children = psutil.Process().children(recursive=True)
    (found,) = (each for each in children if "scheduler" in each.cmdline())
    return found
