"""Reaches a server that runs already: somebody else's by its address, or by its name one that
`dyno servers start` runs in another terminal. Starts none.
"""

from __future__ import annotations

from dyno.home import Home
from dyno.servers.commands import running_address
from dyno.servers.external import NO_PASSWORD, ExternalServer, Login, connect_external
from dyno.spec.address import Address
from dyno.spec.server_ref import ServerRef


def reach(
    server: ServerRef, *, login: Login | None = None, home: Home | None = None
) -> ExternalServer:
    """Connect to an address with its password, or to a running server of that name, without one.

    Raises ServerError.
    """
    if isinstance(server, Address):
        return connect_external(server, login=login)
    return connect_external(running_address(server.name, home=home), login=NO_PASSWORD)
