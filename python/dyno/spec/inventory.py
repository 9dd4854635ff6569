"""hosts.toml: which hosts there are, what each is for, and which of them measure together."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from dyno.errors import SpecError
from dyno.spec.read import parsed, read_document
from dyno.spec.strict import Line, Strict, mistake
from dyno.spec.words import near

Role = Literal["driver", "server", "load"]
Port = Annotated[int, Field(ge=1, le=65535)]
# A name is a part of file names and of Dask's names of workers.
HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]


def _is_address(text: str) -> str:
    try:
        ip_address(text)
    except ValueError:
        raise mistake(
            "it isn't an IP address", hint="write the address in the measuring network: 10.0.0.2"
        ) from None
    return text


def _is_absolute(path: Path) -> Path:
    if not path.is_absolute():
        raise mistake("it isn't an absolute path", hint="begin it with /")
    return path


class Engine(Strict):
    """How the hosts talk to each other; with `load_tls`, load hosts to servers over TLS, too."""

    port: Port = 8786
    worker_port: Port = 8787
    tls: Literal["auto", "off"] = "auto"
    load_tls: bool = False
    ssh_config: Annotated[Path, AfterValidator(_is_absolute)] | None = None


class Host(Strict):
    """One machine."""

    name: HostName
    address: Annotated[str, AfterValidator(_is_address)]
    ssh: Line | None = None
    roles: Annotated[list[Role], Field(min_length=1)]
    home: Annotated[Path, AfterValidator(_is_absolute)] | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0

    @property
    def is_loopback(self) -> bool:
        """Whether nobody else can reach its address."""
        return ip_address(self.address).is_loopback


class HostSet(Strict):
    """Hosts that measure a block together, by their names."""

    name: HostName
    server: str
    load: Annotated[list[str], Field(min_length=1)]


class Inventory(Strict):
    """All hosts and sets."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    engine: Engine = Engine()
    host: Annotated[list[Host], Field(min_length=1)]
    set: list[HostSet] = []

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _refuse_twice("host", [host.name for host in self.host])
        _refuse_twice("set", [each.name for each in self.set])
        if len(drivers := [host.name for host in self.host if "driver" in host.roles]) > 1:
            raise mistake(f"{' and '.join(drivers)} are both drivers", hint="run dyno on one host")
        for each in self.set:
            self._check(each)
        _refuse_shared(self.set)
        for each in self.sets:
            self._refuse_unreachable(each)
        if self.engine.tls == "off":
            self._refuse_in_clear()
        return self

    @property
    def _known(self) -> dict[str, Host]:
        return {host.name: host for host in self.host}

    def _check(self, each: HostSet) -> None:
        known = self._known
        for role, names in (("server", [each.server]), ("load", each.load)):
            for name in names:
                if name not in known:
                    hint = near(name, known)
                    raise mistake(f"the set {each.name} names {name!r}, no host here", hint=hint)
                if role not in known[name].roles:
                    raise mistake(
                        f"{name} isn't for {role}, and the set {each.name} needs it for that",
                        hint=f'add "{role}" to its roles',
                    )

    def _refuse_unreachable(self, each: HostSet) -> None:
        """What listens on a loopback address is reached by its own machine alone."""
        if not self.named(each.server).is_loopback:
            return
        for name in each.load:
            if not self.named(name).is_loopback:
                raise mistake(
                    f"{name} can't reach {each.server}, which is at a loopback address",
                    hint=f"give {each.server} its address in the measuring network",
                )

    def _refuse_in_clear(self) -> None:
        for host in self.host:
            if not host.is_loopback:
                raise mistake(
                    f"tls = off, and {host.name} is at {host.address}, which others can reach",
                    hint='write tls = "auto"',
                )

    def _only_set(self) -> HostSet:
        servers = [host.name for host in self.host if "server" in host.roles]
        loads = [host.name for host in self.host if "load" in host.roles]
        if len(servers) != 1 or not loads:
            raise mistake(
                f"{len(servers)} hosts are for servers and {len(loads)} for load, and no set says "
                "which measure together",
                hint="give one host the role server and others load, or write [[set]]",
            )
        return HostSet(name="all", server=servers[0], load=loads)

    @property
    def sets(self) -> list[HostSet]:
        """The sets; without any in the file, the one server host with all load hosts."""
        return self.set or [self._only_set()]

    def set_named(self, name: str | None) -> HostSet:
        """A set by its name; None is the first. Raises SpecError for a name that no set has."""
        known = {each.name: each for each in self.sets}
        if name is None:
            return self.sets[0]
        if name not in known:
            raise SpecError(f"there is no set {name!r}", hint=near(name, known))
        return known[name]

    def named(self, name: str) -> Host:
        """A host by its name. Raises SpecError for one that isn't there."""
        known = self._known
        if name not in known:
            raise SpecError(f"there is no host {name!r}", hint=near(name, known))
        return known[name]

    @property
    def driver(self) -> Host:
        """Where Dyno itself runs: the host with that role, else the first set's server host."""
        drivers = (host for host in self.host if "driver" in host.roles)
        return next(drivers, self.named(self.sets[0].server))

    def is_apart(self, each: HostSet) -> bool:
        """Whether a set's servers run on another host than Dyno itself."""
        return each.server != self.driver.name

    @property
    def agent_hosts(self) -> list[Host]:
        """Those that need an agent, in the order of the sets: load hosts, and server hosts that
        aren't the driver.
        """
        names = [
            name
            for each in self.sets
            for name in ([each.server] if self.is_apart(each) else []) + each.load
        ]
        return [self.named(name) for name in names]

    @property
    def ssh_hosts(self) -> list[Host]:
        """Those of them on which Dyno can start an agent over SSH."""
        return [host for host in self.agent_hosts if host.ssh is not None]

    @property
    def is_encrypted(self) -> bool:
        """Whether hosts need certificates to talk to each other."""
        return self.engine.tls == "auto"

    @property
    def scheduler(self) -> str:
        """The address at which the agents meet."""
        host = self.driver.address
        protocol = "tls" if self.is_encrypted else "tcp"
        return f"{protocol}://{f'[{host}]' if ':' in host else host}:{self.engine.port}"


def _refuse_twice(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise mistake(f"two have the name {name!r}", hint=f"give each {what} its own name")


def _refuse_shared(sets: list[HostSet]) -> None:
    """Blocks of two sets are measured at the same time."""
    used: dict[str, str] = {}
    for each in sets:
        for name in {each.server, *each.load}:
            if name in used:
                raise mistake(
                    f"{name} is in the sets {used[name]} and {each.name}, which measure at once",
                    hint="put each host into one set",
                )
            used[name] = each.name


def read_inventory(path: Path) -> Inventory:
    """The hosts in a file. Raises SpecError for a missing file, broken TOML or a wrong value."""
    missing = SpecError(
        f"no file of hosts at {path}",
        hint="write one with a [[host]] for each machine: docs/guides/load-from-other-machines.md",
    )
    return parsed(Inventory, read_document(path, missing=missing), source=str(path))
