"""A connection's session on the server: its id, and how another session ends its work."""

from __future__ import annotations

from contextlib import closing

from dyno.client import Connection
from dyno.errors import ServerError
from dyno.servers import ReadableServer


def session_id(connection: Connection) -> int:
    """The connection's number in the server's processlist."""
    return int(connection.row("SELECT CONNECTION_ID()")[0])


def kill(server: ReadableServer, session: int, *, connection: bool = False) -> None:
    """End what a session runs, or the session with its `connection`. A server that can't be reached
    has nothing left to kill, or never will have.
    """
    try:
        with closing(server.admin()) as killer:
            killer.run(f"KILL {'CONNECTION' if connection else 'QUERY'} {session}")
    except ServerError:
        return
