"""A hint for a command line whose figure depends on chance: few connections, CPUs not bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from dyno.recorded.typed import Typed, read_typed

# With more of them the kernel's choice of CPUs averages out (docs/adr/0026-placement.md).
FEW = 4
LOCAL = ("", "localhost", "127.0.0.1", "::1")


def _of_sysbench(typed: Typed) -> str:
    is_run = "run" in typed.rest
    return typed.value("--threads", "--num-threads", default="1") if is_run else ""


def _of_slap(typed: Typed) -> str:
    return typed.value("--concurrency", "-c", default="1")


CONNECTIONS: dict[str, Callable[[Typed], str]] = {"sysbench": _of_sysbench, "slap": _of_slap}
HOSTS = {"sysbench": ("--mysql-host",), "slap": ("--host", "-h")}


def coin_hint(door: str, words: Sequence[str]) -> str | None:
    """The hint; None if the figure doesn't depend on chance, or that can't be known: another host,
    a list of levels, threads that are bound already.
    """
    if door not in CONNECTIONS:
        return None
    typed = read_typed(words)
    said = CONNECTIONS[door](typed)
    if not said.isdecimal() or not 1 <= int(said) <= FEW:
        return None
    if typed.value(*HOSTS[door]) not in LOCAL:
        return None
    if len(os.sched_getaffinity(0)) < (os.cpu_count() or 1):
        return None
    connections = "1 connection" if int(said) == 1 else f"{int(said)} connections"
    return (
        f"with {connections} to a server on this host, the figure depends on "
        "the CPUs that the kernel picks: repeat it, or bind the server with taskset and add "
        "--placement=SERVER_CPUS/OWN_CPUS"
    )
