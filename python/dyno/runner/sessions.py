"""A connection's session on the server: which one it is, and how another one ends its work."""

from __future__ import annotations

from contextlib import closing

import pymysql

from dyno.errors import ServerError
from dyno.servers import AdminConnection, ReadableServer


def session_id(connection: AdminConnection) -> int:
    """The connection's number in the server's processlist."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        row = cursor.fetchone()
    assert row is not None
    return int(row[0])


def kill(server: ReadableServer, session: int, *, connection: bool = False) -> None:
    """End what a session runs, or the session with its `connection`. A server that can't be reached
    has nothing left to kill, or never will have.
    """
    try:
        with closing(server.admin()) as killer, killer.cursor() as cursor:
            cursor.execute(f"KILL {'CONNECTION' if connection else 'QUERY'} {session}")
    except (ServerError, pymysql.MySQLError):
        return
