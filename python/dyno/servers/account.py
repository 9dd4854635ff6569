"""The one account that may log in over TCP to a server that Dyno starts.

Every user of the host can reach a port of 127.0.0.1, and every host of a network one of its
addresses, unlike the socket, which lies in a closed folder. So root, which has no password, may use
the socket alone.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable
from contextlib import closing

from dyno.client import SqlError
from dyno.servers.server import Server

TCP_USER = "dyno"
TCP_HOST = "127.0.0.1"
# Nobody guesses 144 bits.
_PASSWORD_BYTES = 18


def new_password() -> str:
    """One that nobody has had."""
    return secrets.token_urlsafe(_PASSWORD_BYTES)


def make_accounts(server: Server, password: str, *, hosts: Iterable[str]) -> None:
    """Make the account for those who come from these addresses, or give it this password; "" is
    none. Raises ServerError.
    """
    accounts = [f"'{TCP_USER}'@'{host}'" for host in dict.fromkeys(hosts)]
    with closing(server.admin()) as admin:
        for account in (f"'root'@'{TCP_HOST}'", "'root'@'::1'", *accounts):
            # IF EXISTS is younger than some servers. What can't be dropped can't be made, either.
            with contextlib.suppress(SqlError):
                admin.run(f"DROP USER {account}")
        for account in accounts:
            admin.run(f"CREATE USER {account} IDENTIFIED BY %s", password)
            admin.run(f"GRANT ALL ON *.* TO {account} WITH GRANT OPTION")
