"""Reaches a server that runs already: somebody else's by its address, or by its name one that
`dyno servers start` runs in another terminal. Starts none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dyno.servers.commands import running_address
from dyno.servers.external import Address, ExternalServer, connect_external
from dyno.servers.home import Home


def reach(
    server: str,
    *,
    option_file: Path | None = None,
    prompt: Callable[[str], str] | None = None,
    home: Home | None = None,
    read_timeout_s: float | None = None,
) -> ExternalServer:
    """Connect to mysql://… with its password (see `connect_external`), or to a running server of
    that name, which has none. `read_timeout_s`: how long to wait for each answer.

    Raises ServerError.
    """
    if server.startswith("mysql://"):
        return connect_external(
            Address.parse(server),
            option_file=option_file,
            prompt=prompt,
            read_timeout_s=read_timeout_s,
        )
    # No variable has this name: root of a server of ours has no password.
    address = running_address(server, home=home)
    return connect_external(address, password_env="", read_timeout_s=read_timeout_s)
