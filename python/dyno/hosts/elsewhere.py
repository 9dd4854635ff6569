"""The hosts that make the load of a run in place of the server's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dyno.errors import HostLostError
from dyno.hosts.group import Begin, Group
from dyno.hosts.here import HostRead
from dyno.hosts.split import split
from dyno.spec.load_plan import LoadPlan
from dyno.store.load_host import NetworkRead

if TYPE_CHECKING:
    # It loads the engine.
    from dyno.hosts.remote import RemoteHost


@dataclass(frozen=True)
class LoadHost:
    """One of them. `comes_from`: the address that a server sees; `is_here`: it is the server's own
    machine under another address, for trying things out; `begin` starts a load there;
    `measure_network` measures the way from it to here.
    """

    name: str
    comes_from: str
    is_here: bool
    weight: float
    begin: Begin
    measure_network: Callable[[], NetworkRead]
    read: HostRead

    @property
    def cpus(self) -> int | None:
        """How many CPUs it has, if that is known."""
        found: int | None = self.read.facts["cores_logical"]
        return found


@dataclass(frozen=True)
class FarSet:
    """A set whose servers run on another host than Dyno: how to reach that host, and what it and
    its load hosts, by their names, are.
    """

    name: str
    remote: RemoteHost
    read: HostRead
    loads: Mapping[str, HostRead]


@dataclass(frozen=True)
class Proof:
    """What servers show, a file with a certificate and its key, and the one that load hosts check
    it by.
    """

    certificate: Path
    authority: Path


@dataclass(frozen=True)
class Elsewhere:
    """All of them. Servers listen on the address `listen`; the account that they let in, from the
    hosts' addresses alone, has this password. `proof`: what they show, if the load is encrypted.
    `networks`: as they were last measured, by name.
    """

    listen: str
    hosts: Sequence[LoadHost]
    password: str = field(repr=False)
    proof: Proof | None = None
    networks: dict[str, NetworkRead] = field(default_factory=dict)

    @property
    def is_apart(self) -> bool:
        """Whether none of them takes CPU time from the server."""
        return not any(host.is_here for host in self.hosts)

    def measure_networks(self) -> None:
        """Measure the way from each host, one after the other; nothing else should run meanwhile.
        A lost host's is unknown: the trial that needs it says so. Raises LoadError if one can't
        reach this host.
        """
        self.networks.clear()
        for host in self.hosts:
            with suppress(HostLostError):
                self.networks[host.name] = host.measure_network()

    def group(self, plan: LoadPlan) -> Group:
        """One load of all of them, or of the first if it has fewer connections than there are
        hosts. Raises SpecError for a plan that can't be split.
        """
        plans = split(plan, [host.weight for host in self.hosts])
        begin = {host.name: host.begin for host in self.hosts}
        return Group(dict(zip(begin, plans, strict=False)), begin)
