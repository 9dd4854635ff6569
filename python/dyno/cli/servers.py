"""`dyno servers`: list, install, start, stop, shell, remove."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.markup import escape

from dyno import servers
from dyno.cli.options import Json, Plugins, settings_from
from dyno.cli.screen import err, out, plain_table, print_json
from dyno.errors import SpecError
from dyno.servers.account import TCP_HOST, TCP_USER, new_password
from dyno.spec.units import format_bytes

app = typer.Typer(
    help="Fetch, start and stop the servers that experiments run on.", no_args_is_help=True
)

ServerName = Annotated[str, typer.Argument(help="A server's name, see dyno servers list.")]
ServerNames = Annotated[list[str], typer.Argument(help="Servers' names, see dyno servers list.")]


@app.command("list")
def list_command(json: Json = False) -> None:
    """List the servers that can be had, and which are installed and running."""
    rows = servers.list_servers()
    if json:
        print_json([vars(row) for row in rows])
        return
    table = plain_table("name", "version", "offered", "installed", "running", "from")
    for row in rows:
        size = format_bytes(row.size_bytes) if row.size_bytes is not None else "yes"
        table.add_row(
            escape(row.name),
            row.version or "—",
            row.offered or "—",
            size if row.installed else "—",
            f"pid {row.running_pid}" if row.running_pid else "—",
            escape(row.source),
        )
    out.print(table)


@app.command()
def install(
    names: Annotated[list[str] | None, typer.Argument(help="Servers' names.")] = None,
    tarball: Annotated[
        str | None, typer.Option("--tarball", help="A binary tarball: path or URL.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option("--sha256", help="The tarball's SHA-256; required for one.")
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Fetch servers, check their SHA-256 and unpack them into Dyno's own folder."""
    wanted: list[str | None] = [*(names or [])]
    if tarball is None:
        if not names:
            raise SpecError(
                "name a server or a --tarball", hint="dyno servers list shows the names"
            )
        for name in names:  # Before anything is fetched.
            servers.refuse_unknown(name)
    elif sha256 is None:
        raise SpecError(
            "a tarball needs its --sha256", hint="sha256sum FILE gives it; check it at the source"
        )
    elif len(wanted) > 1:
        raise SpecError(
            f"a tarball is one server, but it got {len(wanted)} names", hint="give one name or none"
        )
    for one in wanted or [None]:
        found = servers.install_server(
            one,
            tarball=tarball,
            sha256=sha256,
            plugins=plugin or (),
            progress=lambda text: err.print(escape(text)),
        )
        out.print(f"{escape(found.name)}  {found.product} {found.version}", soft_wrap=True)


@app.command()
def start(
    name: ServerName,
    setting: Annotated[
        list[str] | None,
        typer.Option("--setting", "-s", help="A server setting, NAME=VALUE. Repeatable."),
    ] = None,
    plugin: Plugins = None,
    tcp: Annotated[
        bool,
        typer.Option(
            "--tcp", help="Also listen on a port of 127.0.0.1, with an account and a new password."
        ),
    ] = False,
    no_password: Annotated[
        bool,
        typer.Option("--no-password", help="With --tcp: let everybody on this host log in."),
    ] = False,
) -> None:
    """Start a server in the foreground; it stops with Ctrl-C, or with Dyno."""
    settings = settings_from("--setting", setting)
    if no_password and not tcp:
        raise SpecError("--no-password goes with --tcp", hint="the socket is yours alone anyway")
    password = "" if no_password else new_password()
    server = servers.start_server(
        name, settings=settings, plugins=plugin or (), tcp=tcp, password=password
    )
    where = f", port {server.port}" if server.port else ""
    out.print(f"socket {server.socket}{where}, pid {server.pid}", soft_wrap=True)
    if tcp:
        said = f"password {password}" if password else "without a password"
        out.print(f"address mysql://{TCP_USER}@{TCP_HOST}:{server.port}/, {said}", soft_wrap=True)
    err.print("press Ctrl-C to stop it", style="dim")
    servers.wait_server(server)


@app.command()
def stop(name: ServerName) -> None:
    """Stop a server that dyno servers start runs in another terminal."""
    clean = servers.stop_server(name)
    out.print(f"{escape(name)} stopped" if clean else f"{escape(name)} had to be killed")


@app.command()
def shell(name: ServerName) -> None:
    """Open a client on a running server."""
    argv = servers.shell_argv(name)
    os.execvp(argv[0], argv)


@app.command()
def remove(names: ServerNames) -> None:
    """Delete installed servers, their packages and data folders."""
    for name in names:
        servers.refuse_unknown(name)
    for name in names:
        freed = servers.remove_server(name)
        out.print(f"{escape(name)} removed, {format_bytes(freed)} freed")


@app.command()
def clean() -> None:
    """Delete the snapshots of loaded datasets; the next run that needs one loads it again."""
    found = servers.snapshots.list()
    for snapshot in found:
        servers.snapshots.remove(snapshot.key)
    freed = sum(snapshot.size_bytes for snapshot in found)
    out.print(f"{len(found)} snapshots removed, {format_bytes(freed)} freed")
