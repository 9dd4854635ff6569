"""Hosts with networks and clocks of their own on this machine, joined by a bridge."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from hosting import hosts_command
from waiting import wait_until

from dyno.home import find_home, remove_tree
from dyno.hosts.certificates import certificates
from dyno.hosts.engine import agents_seen, connected
from dyno.spec.inventory import read_inventory

Agent = subprocess.Popen[bytes]
BRIDGE = "dyno-bridge"
# As if it had been started a day earlier: any two machines differ by that much, or more.
CLOCK = ["-T", "--monotonic", "86400"] if Path("/proc/self/ns/time").exists() else []
# What a home has that others may use, too.
SHARED = ("packages", "servers", "data", "snapshots")


@dataclass
class Apart:
    """A host: its address, the process that keeps its network, and this end of the link to it."""

    name: str
    address: str
    keeper: subprocess.Popen[bytes]
    home: Path
    link: str

    def enter(self) -> list[str]:
        """Words before a command that is run there, by its clock."""
        return ["nsenter", "-t", str(self.keeper.pid), "-n", *CLOCK[:1]]

    def cut(self) -> None:
        """Cut the link to it."""
        _ip("link", "set", self.link, "down")

    def mend(self) -> None:
        """Join it again."""
        _ip("link", "set", self.link, "up")

    def loads(self) -> list[psutil.Process]:
        """All dynoloads on it."""
        return [each for each in psutil.process_iter(["name"]) if self._is_load(each)]

    def _is_load(self, process: psutil.Process) -> bool:
        try:
            own = _network(self.keeper.pid)
            return process.name() == "dynoload" and _network(process.pid) == own
        except (psutil.NoSuchProcess, OSError):
            return False

    @contextmanager
    def agent(self, file: Path) -> Iterator[Agent]:
        """Its agent, by a file of hosts."""
        running = subprocess.Popen(
            [*self.enter(), *hosts_command(file, "agent", self.name)],
            env=os.environ | {"DYNO_HOME": str(self.home)},
        )
        try:
            yield running
        finally:
            running.terminate()
            running.wait()


@contextmanager
def all_agents(hosts: Mapping[str, Apart], file: Path) -> Iterator[dict[str, Agent]]:
    """The agents of all hosts, once they have joined those that `dyno hosts up` runs."""
    with ExitStack() as stack:
        agents = {name: stack.enter_context(host.agent(file)) for name, host in hosts.items()}

        def ended() -> bool:
            return any(agent.poll() is not None for agent in agents.values())

        wait_until(lambda: ended() or have_joined(file))
        assert not ended()
        yield agents


def have_joined(file: Path) -> bool:
    """Whether the agents of all hosts of a file are there."""
    inventory = read_inventory(file)
    with connected(inventory, certificates(inventory, file)) as client:
        return agents_seen(client) >= {host.name for host in inventory.agent_hosts}


@contextmanager
def apart(driver: str, addresses: dict[str, str]) -> Iterator[dict[str, Apart]]:
    """Hosts by their names, and this one at the address `driver`."""
    with ExitStack() as stack:
        _ip("link", "add", BRIDGE, "type", "bridge")
        stack.callback(_ip, "link", "del", BRIDGE)
        _ip("addr", "add", f"{driver}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        yield {
            name: stack.enter_context(_host(name, address, number))
            for number, (name, address) in enumerate(addresses.items())
        }


@contextmanager
def _host(name: str, address: str, number: int) -> Iterator[Apart]:
    with ExitStack() as stack:
        keeper = subprocess.Popen(["unshare", "-n", *CLOCK, "sleep", "3600"])
        stack.callback(keeper.wait)
        stack.callback(keeper.kill)
        wait_until(lambda: _network(keeper.pid) != _network(os.getpid()))
        here = f"dyno-{number}"
        _ip("link", "add", here, "type", "veth", "peer", "name", "e0", "netns", str(keeper.pid))
        stack.callback(_ip, "link", "del", here)
        _ip("link", "set", here, "master", BRIDGE)
        _ip("link", "set", here, "up")
        # Servers run as a user that can't look into the folders of tests.
        home = find_home().work / f"test-{os.getpid()}-{number}"
        home.mkdir()
        stack.callback(remove_tree, home)
        for folder in SHARED:
            (home / folder).symlink_to(find_home().root / folder)
        found = Apart(name, address, keeper, home, here)
        for words in (
            ["addr", "add", f"{address}/24", "dev", "e0"],
            ["link", "set", "e0", "up"],
            ["link", "set", "lo", "up"],
        ):
            subprocess.run([*found.enter(), "ip", *words], check=True)
        yield found


def can_be_apart() -> bool:
    """Whether this machine can have such hosts: it needs root, and `ip`."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


def _network(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/net").readlink())


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
