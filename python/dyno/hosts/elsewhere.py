"""The hosts that make the load of a run in place of the server's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dyno.hosts.group import Begin, Group
from dyno.hosts.here import HostRead
from dyno.hosts.split import split
from dyno.spec.load_plan import LoadPlan


@dataclass(frozen=True)
class LoadHost:
    """One of them. `comes_from`: the address that a server sees; `begin` starts a load there."""

    name: str
    comes_from: str
    weight: float
    begin: Begin
    read: HostRead


@dataclass(frozen=True)
class Elsewhere:
    """All of them. Servers listen on the address `listen`; the account that they let in, from the
    hosts' addresses alone, has this password.
    """

    listen: str
    hosts: Sequence[LoadHost]
    password: str = field(repr=False)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [host.name for host in self.hosts]

    def group(self, plan: LoadPlan) -> Group:
        """One load of all of them. Raises SpecError for a plan that can't be split."""
        plans = split(plan, [host.weight for host in self.hosts])
        begin = {host.name: host.begin for host in self.hosts}
        return Group(dict(zip(self.names, plans, strict=True)), begin)

    def cpus(self, name: str) -> int | None:
        """How many CPUs a host may use, if that is known."""
        read = next(host.read for host in self.hosts if host.name == name)
        cores: int | None = read.facts["cores_logical"]
        return cores
