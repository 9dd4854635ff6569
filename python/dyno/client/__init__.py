"""The one client of MySQL's protocol on this side, for administration: it measures nothing.

It never gives a password to a server that could be an impostor, never waits forever for an answer,
and never accepts an endless one. Errors are SqlErrors. docs/adr/0015 says why.
"""

from __future__ import annotations

from dyno.client.connection import Connection, connect, reads_answers
from dyno.client.error import HINT, SqlError

__all__ = ["HINT", "Connection", "SqlError", "connect", "reads_answers"]
