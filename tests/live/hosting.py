"""Load hosts on this machine: a scheduler at 127.0.0.1, agents at 127.0.0.2 and on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from waiting import wait_until

from dyno.servers.server import free_port

SERVER = "127.0.0.1"
LOADS = {"load1": "127.0.0.2", "load2": "127.0.0.3"}
UP = "press Ctrl-C to stop them"
_HEAD = """
schema = 1
[engine]
port = {port}
worker_port = {worker_port}
[[host]]
name = "db1"
address = "{server}"
roles = ["server"]
"""
_HOST = """
[[host]]
name = "{name}"
address = "{address}"
roles = ["load"]
"""


@dataclass
class Hosting:
    """Agents that `dyno hosts up` runs, by a file of hosts."""

    file: Path
    up: subprocess.Popen[bytes]

    def _children(self, fits: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
        """Those that fit; one may end while it is looked at."""
        found = []
        for each in psutil.Process(self.up.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if fits(each):
                    found.append(each)
        return found

    def agent(self, name: str) -> psutil.Process:
        """The agent of a host, or the scheduler."""
        (found,) = self._children(lambda each: name in each.cmdline())
        return found

    def loads(self) -> list[psutil.Process]:
        """All that the agents run."""
        return self._children(lambda each: each.name() == "dynoload")


def write_hosts(folder: Path, *, server: str = SERVER, loads: Mapping[str, str] = LOADS) -> Path:
    """A file of hosts: the address of the server's, those of the load hosts by their names, and
    ports that nobody uses.
    """
    ports = {"port": free_port(server), "worker_port": free_port(server)}
    each = [_HOST.format(name=name, address=address) for name, address in loads.items()]
    file = folder / "hosts.toml"
    file.write_text(_HEAD.format(server=server, **ports) + "".join(each))
    return file


def hosts_command(file: Path, *words: str) -> list[str]:
    """A command line of `dyno hosts` on a file of hosts."""
    return [sys.executable, "-m", "dyno.cli.main", "hosts", *words, "--hosts", str(file)]


@contextmanager
def hosted(file: Path) -> Iterator[Hosting]:
    """Agents on all hosts of a file, with the certificates of a setup."""
    if not file.with_suffix(".tls").exists():
        subprocess.run(hosts_command(file, "setup"), check=True, timeout=60)
    log = file.with_suffix(".log")
    with log.open("wb") as output:
        up = subprocess.Popen(hosts_command(file, "up"), stderr=output)
    try:
        wait_until(lambda: up.poll() is not None or UP in log.read_text())
        assert up.poll() is None, log.read_text()
        yield Hosting(file, up)
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(60)
