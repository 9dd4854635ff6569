"""Reaches a server that runs already: somebody else's by its address, or by its name one that
`dyno servers start` runs in another terminal. Starts none.
"""

from __future__ import annotations

from dyno.servers.commands import running_address
from dyno.servers.external import NO_PASSWORD, ExternalServer, Login, connect_external
from dyno.servers.home import Home
from dyno.spec.address import Address, is_address


def reach(server: str, *, login: Login | None = None, home: Home | None = None) -> ExternalServer:
    """Connect to mysql://… with its password, or to a running server of that name, which has none.

    Raises ServerError.
    """
    if is_address(server):
        return connect_external(Address.parse(server), login=login)
    return connect_external(running_address(server, home=home), login=NO_PASSWORD)
