"""The one client of MySQL's protocol on this side, for administration: it measures nothing.

It gives no password to a server that can't be told from another one, waits for no answer for ever,
and takes no answer without end. What goes wrong is a SqlError. docs/adr/0015 says why it is so.
"""

from __future__ import annotations

from dyno.client.connection import Connection, connect, reads_answers
from dyno.client.error import HINT, SqlError

__all__ = ["HINT", "Connection", "SqlError", "connect", "reads_answers"]
