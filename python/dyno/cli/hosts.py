"""`dyno hosts`: the machines that make load for a server elsewhere."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from dyno.cli.elsewhere import require_engine
from dyno.cli.options import Json
from dyno.cli.screen import err, out, plain_table, print_json
from dyno.errors import LoadError, SpecError
from dyno.home import find_home
from dyno.hosts.authority import make_certificates
from dyno.hosts.certificates import Certificates, certificates
from dyno.hosts.deploy import Deployed
from dyno.hosts.fleet import all_commands
from dyno.hosts.lean import agent_command, lean_settings
from dyno.hosts.look import HostLook
from dyno.hosts.up import Agents, stop_running
from dyno.spec.inventory import Inventory, read_inventory
from dyno.spec.units import format_bytes

app = typer.Typer(help="Agents on the machines that make load for a server.", no_args_is_help=True)

File = Annotated[Path, typer.Option("--hosts", help="The file of hosts.")]
FILE = Path("hosts.toml")


@app.command()
def setup(hosts: File = FILE) -> None:
    """Make certificates for the hosts of a file, and install this Dyno where they have an ssh."""
    inventory = read_inventory(hosts)
    keys = certificates(inventory, hosts)
    if keys is not None and not keys.folder.exists():
        make_certificates(inventory, keys)
        out.print(f"certificates in {escape(str(keys.folder))}", soft_wrap=True)
    elif keys is None and not inventory.ssh_hosts:
        raise SpecError(
            "there is nothing to set up: tls is off, and no host has an ssh",
            hint="start the agents: dyno hosts up",
        )
    deployed = Deployed(inventory)
    for host in inventory.agent_hosts:
        if host.ssh is None:
            if keys is not None and not host.is_loopback:
                files = f"{hosts.name}, {keys.authority.name} and {keys.of(host).name}"
                out.print(f"{host.name}: copy {files} to it yourself", soft_wrap=True)
            continue
        err.print(f"{host.name}: installing Dyno at {host.ssh} …", style="dim")
        is_new = deployed.install(host)
        if keys is not None:
            deployed.send_certificates(host, keys)
        out.print(f"{host.name}: Dyno {'is installed' if is_new else 'was there'}")


@app.command()
def up(hosts: File = FILE) -> None:
    """Run the scheduler here, and all agents that can be started from here, until Ctrl-C."""
    engine = require_engine()
    inventory = read_inventory(hosts)
    keys = certificates(inventory, hosts)
    commands = all_commands(inventory, keys, Deployed(inventory))
    with closing(Agents(commands, _environment(keys), _folder(inventory))) as agents:
        with engine.connected(inventory, keys) as client:
            agents.wait(lambda: engine.agents_seen(client))
        for host in inventory.agent_hosts:
            is_here = host.name in commands
            said = "started" if is_here else f"start there: dyno hosts agent {host.name}"
            out.print(f"{host.name}  {host.address}  {said}", soft_wrap=True)
        err.print("press Ctrl-C to stop them", style="dim")
        agents.watch(_note)


@app.command()
def down(hosts: File = FILE) -> None:
    """Stop what dyno hosts up runs in another terminal."""
    stop_running(_folder(read_inventory(hosts)))
    out.print("agents stopped")


@app.command()
def agent(
    name: Annotated[str, typer.Argument(help="This host's name in the file.")], hosts: File = FILE
) -> None:
    """Run the agent of this load host in the foreground, until Ctrl-C."""
    require_engine()
    inventory = read_inventory(hosts)
    keys = certificates(inventory, hosts)
    host = inventory.named(name)
    if keys is not None:
        keys.require([host])
    command = agent_command(inventory, host, keys)
    folder = _folder(inventory).with_suffix(f".{name}")
    with closing(Agents({name: command}, _environment(keys), folder)) as agents:
        out.print(f"{name} waits for {inventory.scheduler}", soft_wrap=True)
        err.print("press Ctrl-C to stop it", style="dim")
        agents.watch(_note)


def _environment(keys: Certificates | None) -> dict[str, str]:
    return os.environ | lean_settings(keys)


def _folder(inventory: Inventory) -> Path:
    """What is running has a folder by its port."""
    return find_home().running / f"hosts-{inventory.engine.port}"


def _note(text: str) -> None:
    err.print(escape(text), soft_wrap=True)


@app.command()
def check(hosts: File = FILE, json: Json = False) -> None:
    """Say what each load host is, what the network carries, and whether it has the same Dyno."""
    inventory = read_inventory(hosts)
    found = list(require_engine().look(inventory, certificates(inventory, hosts)))
    if json:
        print_json([each.model_dump() for each in found])
    else:
        out.print(_table(found))
        for each in found:
            for warning in each.facts.get("warnings") or ():
                out.print(f"{escape(each.name)}: {escape(warning)}", soft_wrap=True)
    if any(each.problem for each in found):
        raise typer.Exit(LoadError.exit_code)


def _table(found: list[HostLook]) -> Table:
    way = ("clock", "round trip", "one stream")
    table = plain_table("host", "state", "CPUs", "load", *way, "queries", "agent", "free disk")
    for each in found:
        table.add_row(
            escape(each.name),
            f"[red]{escape(each.problem)}[/]" if each.problem else "[green]ok[/]",
            *(_shown(each.facts.get(key)) for key in ("cores_logical", "load_average_1min")),
            _clock(each),
            *_way(each),
            "—" if each.most_per_s is None else f"{each.most_per_s / 1e6:.2f} M/s",
            "—" if each.agent_cpu_share_pct is None else f"{each.agent_cpu_share_pct:.1f} % CPU",
            _size(each.facts.get("filesystem_free_bytes")),
        )
    return table


def _clock(look: HostLook) -> str:
    """How far its clock is ahead, and by how much that may be wrong."""
    if look.ahead_ms is None or look.bound_ms is None:
        return "—"
    # Without the sum a small one behind would be -0.000.
    return f"{round(look.ahead_ms, 3) + 0.0:+.3f} ± {look.bound_ms:.3f} ms"


def _way(look: HostLook) -> tuple[str, str]:
    """What the network between a host and this one is like."""
    way = look.network
    if way is None:
        return "—", "—"
    stream = "—" if way.bytes_per_s is None else f"{format_bytes(way.bytes_per_s)}/s"
    return f"{way.round_trip_us:.0f} µs, p99 {way.round_trip_p99_us:.0f}", stream


def _size(size_bytes: float | None) -> str:
    return "—" if size_bytes is None else format_bytes(size_bytes)


def _shown(value: object) -> str:
    return "—" if value is None else str(value)
