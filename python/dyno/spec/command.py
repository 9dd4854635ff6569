"""A recorded command line of another program: in plans of such runs, never in an experiment."""

from __future__ import annotations

import re
from typing import Literal

from dyno.spec.kind import Kind
from dyno.spec.units import plural


class CommandWorkload(Kind):
    """What was typed after the program's name, without passwords. `op`: what it did repeatedly."""

    kind: Literal["command"]
    program: Literal["sysbench", "slap"]
    arguments: list[str]
    op: str

    @property
    def ops(self) -> list[str]:
        """The op kinds: there is one."""
        return [self.op]


def clients_op(clients: int) -> str:
    """The name of the op of a recorded mysqlslap: all queries of n clients."""
    return plural(clients, "client")


def clients_of(op: str) -> int | None:
    """How many clients an op with that name had; None for any other op."""
    found = re.fullmatch(r"([\d,]+) clients?", op)
    return int(found[1].replace(",", "")) if found else None
