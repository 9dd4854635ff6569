"""What the binary log has, which is what replicas get. Rows are found by their content alone, in
any format of the log that isn't compressed or encrypted.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from dyno.client import SqlError
from dyno.servers import Server

# What `dyno.spec.ledger.body` makes: id and version, and both once more.
_BODY = re.compile(rb"([0-9]{20})([0-9]{20})(?=\1\2)")


def written_by(server: Server) -> set[tuple[int, int]] | None:
    """Id and version of each row whose content is in the server's binary log; None if it has none,
    or if nobody can tell where it is.
    """
    found = server.variables()
    base = found.get("log_bin_basename")
    if found.get("log_bin", "OFF") in ("OFF", "0") or not base:
        return None
    try:
        with closing(server.admin()) as connection:
            names = [str(row[0]) for row in connection.rows("SHOW BINARY LOGS")]
    except SqlError:
        return None
    files = [Path(base).with_name(name) for name in names]
    return {row for file in files for row in rows_in(file.read_bytes())}


def rows_in(log: bytes) -> set[tuple[int, int]]:
    """The rows in the bytes of a log."""
    return {(int(found[1]), int(found[2])) for found in _BODY.finditer(log)}
