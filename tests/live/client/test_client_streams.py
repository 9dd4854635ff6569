"""Rows that are read one at a time, and a reader who stops."""

from __future__ import annotations

import gc
import sys
from contextlib import closing
from typing import Any

import pytest
from stands import SECRET, Stand

from dyno.client import Connection, connect
from dyno.spec.address import Address

MANY = "SELECT a.ID FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b"


def interrupted(connection: Connection) -> None:
    """As by Ctrl-C, after the first row."""
    with closing(connection), connection.streamed(MANY) as (names, rows):
        assert names == ["ID"]
        next(rows)
        raise KeyboardInterrupt


def test_a_reader_who_stops_leaves_nothing_to_read(
    mariadb: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pymysql reads the rest when the cursor is collected: there it would meet a closed socket."""
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    address = Address.parse(f"mysql://ann@127.0.0.1:{mariadb.port}/?tls=off")
    with pytest.raises(KeyboardInterrupt):
        interrupted(connect(address, SECRET, answer_s=10))
    gc.collect()
    assert seen == []
