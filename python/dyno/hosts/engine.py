"""The engine between hosts: Dask's `distributed`, one lean worker on each, and actors alone.

Only this module and `remote` import it. A plain task may wait for a lost worker for ever, so there
are none, and every answer is waited for with a limit.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from distributed import Client
from distributed.security import Security

from dyno.errors import HostLostError, LoadError, SpecError
from dyno.hosts.ceiling import ceiling_per_s
from dyno.hosts.certificates import Certificates
from dyno.hosts.clock import wall_warning
from dyno.hosts.echo import EchoServer
from dyno.hosts.elsewhere import Elsewhere, FarSet, LoadHost, Proof
from dyno.hosts.here import HostRead, read_host, require_same, wall_ahead_s
from dyno.hosts.look import HostLook
from dyno.hosts.remote import RemoteHost, agents_seen
from dyno.servers.account import new_password
from dyno.spec.inventory import Host, HostSet, Inventory

__all__ = ["agents_seen", "connected", "joined", "look"]
CONNECT_S = 15.0
# An agent is heard twice a second, and its lease is renewed once.
REST_S = 1.0
# It has no types for a checker.
_CLIENT: Any = Client


@contextmanager
def connected(
    inventory: Inventory, keys: Certificates | None, *, own: Host | None = None
) -> Iterator[Client]:
    """A connection to the scheduler; `own`: the host that this one is, by default that of the
    scheduler. Raises HostLostError if there is none, and SpecError if this host's certificate is
    missing.
    """
    address = inventory.scheduler
    _silence()
    security = _security(own or inventory.driver, keys)
    try:
        client: Client = _CLIENT(address, timeout=CONNECT_S, security=security)
    except OSError as error:
        raise HostLostError(
            f"no scheduler answers at {address}",
            hint="start it: dyno hosts up --hosts FILE; both need the certificates of one setup",
        ) from error
    with client:
        yield client


def _silence() -> None:
    """Turn off the logs of the engine and its event loop: the error that follows says the same."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _security(own: Host, keys: Certificates | None) -> Security | None:
    if keys is None:
        return None
    keys.require([own])
    certificate = str(keys.of(own))
    return Security(  # type: ignore[no-untyped-call]
        tls_ca_file=str(keys.authority),
        tls_client_cert=certificate,
        tls_client_key=certificate,
        require_encryption=True,
    )


@contextmanager
def joined(
    inventory: Inventory, set_name: str | None, keys: Certificates | None
) -> Iterator[Elsewhere]:
    """The load hosts of a set, held for a run. Raises HostLostError, SpecError, LoadError for a
    host with another Dyno than this one, and RunFailedError for one on which another run measures.
    """
    chosen = inventory.set_named(set_name)
    server, here = inventory.named(chosen.server), read_host()
    with (
        closing(_echo_at(server)) as echo,
        connected(inventory, keys, own=server) as client,
        ExitStack() as stack,
    ):
        hosts = []
        for name in chosen.load:
            host = inventory.named(name)
            remote = stack.enter_context(_agent_of(client, name, echo))
            read = _same(remote, here)
            # Otherwise it is this machine, which the run holds itself.
            if not host.is_loopback:
                remote.hold()
            # The kernel gives what comes from a loopback address the server's own.
            peer = server.address if host.is_loopback else host.address
            hosts.append(
                LoadHost(
                    name=name,
                    comes_from=peer,
                    is_here=host.is_loopback,
                    weight=host.weight,
                    begin=remote.begin,
                    measure_network=remote.measure_network,
                    read=read,
                )
            )
        proof = stack.enter_context(_proof(server)) if inventory.engine.load_tls else None
        yield Elsewhere(server.address, hosts, new_password(), proof)


@contextmanager
def _proof(server: Host) -> Iterator[Proof]:
    """A certificate for the servers of this run only. A host's own won't do: it lets its holder run
    programs on all hosts, and users who can log in there may read a server's files.
    """
    # Only here: most runs have none.
    from dyno.hosts.authority import make_server_certificate

    with tempfile.TemporaryDirectory(prefix="dyno-tls-") as folder:
        yield make_server_certificate(server, Path(folder))


@contextmanager
def far_sets(
    inventory: Inventory, sets: Sequence[HostSet], keys: Certificates | None
) -> Iterator[list[FarSet]]:
    """Sets whose servers run on other hosts, reached for a run; each host is held by what runs
    blocks there. Raises as `joined` does.
    """
    here = read_host()
    with (
        closing(_echo_at(inventory.driver)) as echo,
        connected(inventory, keys) as client,
        ExitStack() as stack,
    ):
        found = []
        for each in sets:
            loads = {}
            for name in each.load:
                # What runs blocks joins it for the run.
                with _agent_of(client, name, echo) as load:
                    loads[name] = _same(load, here)
            server = stack.enter_context(_agent_of(client, each.server, echo))
            found.append(FarSet(each.name, server, _same(server, here), loads))
        yield found


@contextmanager
def _agent_of(client: Client, name: str, echo: EchoServer) -> Iterator[RemoteHost]:
    """A host's agent, until it isn't needed any more."""
    remote = RemoteHost(client, name, echo.address)
    try:
        yield remote
    finally:
        remote.leave()


def _same(remote: RemoteHost, here: HostRead) -> HostRead:
    """What a host is, with a warning if its wall clock is off. Raises LoadError for another Dyno
    than this one.
    """
    read = remote.read()
    require_same(here, read, remote.name)
    _warn_of_clock(read, wall_ahead_s(read, here, remote.measure_offset()))
    return read


def _warn_of_clock(read: HostRead, ahead_s: float) -> None:
    """Add a warning to what disturbs a host whose wall clock is far ahead or behind."""
    warning = wall_warning(ahead_s)
    if warning is not None:
        read.facts["warnings"].append(warning)


def _echo_at(server: Host) -> EchoServer:
    """Raises SpecError unless this machine has the address of the server host."""
    try:
        return EchoServer(server.address)
    except OSError as error:
        raise SpecError(
            f"{server.name} is at {server.address}, which isn't an address of this machine",
            hint="run dyno on the host of the servers",
        ) from error


def look(inventory: Inventory, keys: Certificates | None) -> Iterator[HostLook]:
    """All load hosts. Raises as `connected` does."""
    here = read_host()
    with closing(_echo_at(inventory.driver)) as echo, connected(inventory, keys) as client:
        for host in inventory.agent_hosts:
            try:
                with _agent_of(client, host.name, echo) as remote:
                    found = _look_at(remote, host.address, here)
            except (HostLostError, LoadError) as error:
                found = HostLook(name=host.name, address=host.address, problem=error.message)
            yield found


def _look_at(remote: RemoteHost, address: str, here: HostRead) -> HostLook:
    problem = None
    read = remote.read()
    offset, network = remote.measure_offset(), remote.measure_network()
    most_per_s = ceiling_per_s(remote.name, remote.begin)
    agent_cpu_share_pct = remote.rest(REST_S)
    try:
        require_same(here, read, remote.name)
    except LoadError as error:
        problem = error.message
    ahead_s = wall_ahead_s(read, here, offset)
    _warn_of_clock(read, ahead_s)
    return HostLook(
        name=remote.name,
        address=address,
        problem=problem,
        facts=read.facts,
        ahead_ms=1000 * ahead_s,
        bound_ms=offset.bound_ns / 1e6,
        network=network,
        most_per_s=most_per_s,
        agent_cpu_share_pct=agent_cpu_share_pct,
    )
