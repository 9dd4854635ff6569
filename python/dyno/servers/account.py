"""The one account that may log in over TCP to a server of `dyno servers start --tcp`.

Every user of the host can reach a port of 127.0.0.1, unlike the socket, which lies in a closed
folder. So root, which has no password, may use the socket alone.
"""

from __future__ import annotations

import contextlib
from contextlib import closing

from dyno.client import SqlError
from dyno.servers.server import Server

TCP_USER = "dyno"
TCP_HOST = "127.0.0.1"
_ACCOUNT = f"'{TCP_USER}'@'{TCP_HOST}'"


def make_account(server: Server, password: str) -> None:
    """Make the account, or give it this password; "" is none. Raises ServerError."""
    with closing(server.admin()) as admin:
        for account in (f"'root'@'{TCP_HOST}'", "'root'@'::1'", _ACCOUNT):
            # IF EXISTS is younger than some servers. What can't be dropped can't be made, either.
            with contextlib.suppress(SqlError):
                admin.run(f"DROP USER {account}")
        admin.run(f"CREATE USER {_ACCOUNT} IDENTIFIED BY %s", password)
        admin.run(f"GRANT ALL ON *.* TO {_ACCOUNT} WITH GRANT OPTION")
