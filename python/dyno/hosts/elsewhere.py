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
    """One of them. `comes_from`: the address that a server sees; `is_here`: it is the server's own
    machine under another address, for trying things out; `begin` starts a load there.
    """

    name: str
    comes_from: str
    is_here: bool
    weight: float
    begin: Begin
    read: HostRead

    @property
    def cpus(self) -> int | None:
        """How many CPUs it has, if that is known."""
        found: int | None = self.read.facts["cores_logical"]
        return found


@dataclass(frozen=True)
class Elsewhere:
    """All of them. Servers listen on the address `listen`; the account that they let in, from the
    hosts' addresses alone, has this password.
    """

    listen: str
    hosts: Sequence[LoadHost]
    password: str = field(repr=False)

    @property
    def is_apart(self) -> bool:
        """Whether none of them takes CPU time from the server."""
        return not any(host.is_here for host in self.hosts)

    def group(self, plan: LoadPlan) -> Group:
        """One load of all of them. Raises SpecError for a plan that can't be split."""
        plans = split(plan, [host.weight for host in self.hosts])
        begin = {host.name: host.begin for host in self.hosts}
        return Group(dict(zip(begin, plans, strict=True)), begin)
