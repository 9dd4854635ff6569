"""Installations whose servers lie: about some of their flushes, or about all that they write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planted import compiled, planted

HERE = Path(__file__).parent
FLUSHES = """#!/bin/sh
LIES_EVERY={every} LD_PRELOAD="{home}/liar.so" exec "{program}" "$@"
"""
# A server that fills a new data folder has no socket, and needs no door. The process that Dyno
# started becomes the server, and the door dies with it.
WRITES = """#!/bin/sh
socket=$(sed -n "s/^socket = //p" "${{1#--defaults-file=}}" 2>/dev/null)
if [ "$socket" ]; then
    set -- "$@" --socket="$socket.real"
    "{home}/hasty" "$socket" "$socket.real" $$ &
fi
exec "{program}" "$@"
"""


@contextmanager
def lying(name: str, every: int) -> Iterator[str]:
    """The name of an installation whose every n-th flush does nothing; it is removed afterwards."""
    with planted(name, FLUSHES, every=every) as home:
        compiled(home / "liar.so", HERE / "liar.c", "-shared", "-fPIC", "-ldl")
        yield name


@contextmanager
def hasty(name: str) -> Iterator[str]:
    """The name of an installation whose server acknowledges before it writes."""
    with planted(name, WRITES) as home:
        compiled(home / "hasty", HERE / "hasty.c", "-pthread")
        yield name
