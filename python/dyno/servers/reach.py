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
) -> ExternalServer:
    """Connect to mysql://… with its password (see `connect_external`), or to a running server of
    that name, which has none. Raises ServerError.
    """
    if server.startswith("mysql://"):
        return connect_external(Address.parse(server), option_file=option_file, prompt=prompt)
    # No variable has this name: root of a server of ours has no password.
    return connect_external(running_address(server, home=home), password_env="")
