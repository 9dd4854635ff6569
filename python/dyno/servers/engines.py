"""Which storage engines a server has."""

from __future__ import annotations

from contextlib import closing

from dyno.servers.server import ReadableServer


def engines_of(server: ReadableServer) -> frozenset[str]:
    """Those in which tables can be made, in lower case. Raises ServerError."""
    with closing(server.admin()) as connection:
        found = connection.rows("SHOW ENGINES")
    return frozenset(
        str(name).lower()
        for name, support, *_ in found
        if str(support).upper() in ("YES", "DEFAULT")
    )
