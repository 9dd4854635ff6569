"""Nodes of `linkbench`, counted before and after a kill: their ids are assigned in order, and none
that a load adds is deleted. Clients don't know the ids, so a lost node and another one that wasn't
acknowledged cancel out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dyno.checks.linkbench import NODES
from dyno.client import Connection
from dyno.runner.durability.subject import Looked
from dyno.spec.events import EventLog
from dyno.spec.linkbench import LinkbenchWorkload, LoadLinkbench
from dyno.spec.units import plural

_MB = 1_000_000


@dataclass(frozen=True)
class AcknowledgedNodes:
    """How many nodes."""

    count: int

    def look(self, connection: Connection, before: int) -> Looked:
        """Count the nodes after the last one that existed when the load began."""
        found = _number(connection, f"SELECT COUNT(*) FROM nodetable WHERE id > {before}")
        return self.judged(found)

    def judged(self, found: int) -> Looked:
        """The account of n nodes found."""
        lost = max(self.count - found, 0)
        example = f"{found:,} new nodes are there" if lost else None
        return Looked(lost=lost, incomplete=0, example=example, surplus=max(found - self.count, 0))


@dataclass(frozen=True)
class Nodes:
    """The subject: nodes added to a graph of n ids."""

    ids: int = 10_000
    workload: str = "linkbench"
    counted: str = "new nodes"
    is_noted: bool = False

    @property
    def data(self) -> str:
        """What is loaded."""
        return plural(self.ids, "id")

    @property
    def memory_mb(self) -> int:
        """All of it: an index as large as its table."""
        return LinkbenchWorkload(kind="linkbench", ids=self.ids).size_bytes // _MB

    def load(self, engine: str, notes: Path | None) -> LoadLinkbench:
        """The workload for dynoload, which counts by itself."""
        return LoadLinkbench(kind="linkbench", ids=self.ids, engine=engine)

    def before(self, connection: Connection) -> int:
        """The greatest id."""
        return _number(connection, NODES.sql)

    def acknowledged(self, notes: Path, log: EventLog, cut_s: float) -> AcknowledgedNodes:
        """The nodes whose commit clients saw, to the end of the load."""
        ops = [op for interval in log.intervals for op in interval.ops]
        return AcknowledgedNodes(
            sum(op.count for op in ops if (op.op, op.outcome) == (NODES.op, "ok"))
        )


def _number(connection: Connection, sql: str) -> int:
    return int(connection.row(sql)[0])
