"""`dyno hosts`: the machines that make load for a server elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from dyno.cli.elsewhere import require_engine
from dyno.cli.options import Json
from dyno.cli.screen import err, out, print_json
from dyno.errors import LoadError, SpecError
from dyno.hosts.authority import make_certificates
from dyno.hosts.certificates import certificates
from dyno.hosts.lean import agent_command, all_commands, lean_environment
from dyno.hosts.look import HostLook
from dyno.hosts.up import Agents, stop_running
from dyno.servers import find_home
from dyno.spec.inventory import Inventory, read_inventory

app = typer.Typer(help="Agents on the machines that make load for a server.", no_args_is_help=True)

File = Annotated[Path, typer.Option("--hosts", help="The file of hosts.")]
FILE = Path("hosts.toml")


@app.command()
def setup(hosts: File = FILE) -> None:
    """Make the certificates by which the hosts of a file know each other."""
    inventory = read_inventory(hosts)
    made = certificates(inventory, hosts)
    if made is None:
        raise SpecError("tls = off in this file: its hosts talk without certificates")
    make_certificates(inventory, made)
    out.print(f"certificates in {escape(str(made.folder))}", soft_wrap=True)
    for host in inventory.load_hosts:
        if not host.is_loopback:
            names = f"{made.authority.name} and {made.of(host).name}"
            out.print(f"copy {hosts.name}, and {names} in {made.folder.name}, to {host.name}")


@app.command()
def up(hosts: File = FILE) -> None:
    """Let agents meet here, in the foreground, until Ctrl-C; start those of this machine."""
    engine = require_engine()
    inventory = read_inventory(hosts)
    keys = certificates(inventory, hosts)
    commands = all_commands(inventory, keys)
    with Agents(commands, lean_environment(keys), _folder(inventory)) as agents:
        with engine.connected(inventory, keys) as client:
            agents.wait(lambda: engine.agents_seen(client))
        for host in inventory.load_hosts:
            here = "started" if host.is_loopback else f"start there: dyno hosts agent {host.name}"
            out.print(f"{host.name}  {host.address}  {here}", soft_wrap=True)
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
    """Be the agent of a load host, in the foreground, until Ctrl-C."""
    require_engine()
    inventory = read_inventory(hosts)
    keys = certificates(inventory, hosts)
    command = agent_command(inventory, inventory.named(name), keys)
    folder = _folder(inventory).with_suffix(f".{name}")
    with Agents({name: command}, lean_environment(keys), folder) as agents:
        out.print(f"{name} waits for {inventory.scheduler}", soft_wrap=True)
        err.print("press Ctrl-C to stop it", style="dim")
        agents.watch(_note)


def _folder(inventory: Inventory) -> Path:
    """What is running has a folder by its port."""
    return find_home().running / f"hosts-{inventory.engine.port}"


def _note(text: str) -> None:
    err.print(escape(text), soft_wrap=True)


@app.command()
def check(hosts: File = FILE, json: Json = False) -> None:
    """Say what each load host is, how far its clock is known, and whether it has the same Dyno."""
    inventory = read_inventory(hosts)
    found = list(require_engine().look(inventory, certificates(inventory, hosts)))
    if json:
        print_json([asdict(each) for each in found])
    else:
        out.print(_table(found))
    if any(each.problem for each in found):
        raise typer.Exit(LoadError.exit_code)


def _table(found: list[HostLook]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("host", "state", "CPUs", "load", "clock"):
        table.add_column(heading)
    for each in found:
        table.add_row(
            escape(each.name),
            f"[red]{escape(each.problem)}[/]" if each.problem else "[green]ok[/]",
            *(_shown(each.facts.get(key)) for key in ("cores_logical", "load_average_1min")),
            "—" if each.bound_ms is None else f"{each.ahead_ms:+.2f} ± {each.bound_ms:.2f} ms",
        )
    return table


def _shown(value: object) -> str:
    return "—" if value is None else str(value)
