"""Nodes of `linkbench`: noted by dynoload with the id that the server gave each, and looked up in
its table after a crash. Ids grow, and none that a load adds is deleted.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dyno.checks.linkbench import CHECKS, NODES
from dyno.runner.subjects.notes import (
    Timed,
    doubled,
    example_of,
    noted_before,
    number,
    read_notes,
    when_lost,
)
from dyno.runner.subjects.subject import SCHEMA, Looked
from dyno.servers import Server
from dyno.spec.crash_load import LinkbenchNodes
from dyno.spec.linkbench import LinkbenchWorkload, LoadLinkbench

_MB = 1_000_000


@dataclass(frozen=True)
class NodeNote(Timed):
    """A node that a client knew to be added."""

    id: int


@dataclass(frozen=True)
class AcknowledgedNodes:
    """Which nodes; those that were noted after the cut are known as well, but don't count."""

    notes: list[NodeNote]
    cut_s: float

    @property
    def count(self) -> int:
        """How many."""
        return len(noted_before(self.notes, self.cut_s))

    def look(self, server: Server, before: int) -> Looked:
        """Read the ids after the last one that existed when the load began."""
        sql = f"SELECT id FROM nodetable WHERE id > {before}"
        with closing(server.admin(SCHEMA)) as connection, connection.streamed(sql) as (_, rows):
            return self.judged({int(id_) for (id_,) in rows})

    def judged(self, there: Collection[int]) -> Looked:
        """The account of the ids found. An id acknowledged twice is one lost node."""
        counted = noted_before(self.notes, self.cut_s)
        lost = [note for note in counted if note.id not in there]
        twice = doubled(note.id for note in counted)
        missing = f"id {lost[0].id}: no such node" if lost else None
        lost_s, moments = when_lost(counted, lost, self.cut_s)
        return Looked(
            lost=len(lost) + twice.total(),
            incomplete=0,
            example=example_of(missing, twice, lambda id_: f"id {id_}"),
            surplus=len(set(there) - {note.id for note in self.notes}),
            lost_s=lost_s,
            moments=moments,
        )


@dataclass(frozen=True)
class Nodes:
    """The subject: nodes added to a graph."""

    load: LinkbenchNodes

    @property
    def tables(self) -> Collection[str]:
        """All of the workload's."""
        return sorted(CHECKS.tables)

    @property
    def memory_mb(self) -> int:
        """All of it: an index as large as its table."""
        return LinkbenchWorkload(kind="linkbench", ids=self.load.ids).size_bytes // _MB

    def workload(self, engine: str, create_options: str, notes: Path | None) -> LoadLinkbench:
        """The workload for dynoload, which notes each acknowledged node."""
        return LoadLinkbench(
            kind="linkbench",
            ids=self.load.ids,
            engine=engine,
            create_options=create_options,
            success_file=str(notes) if notes else None,
        )

    def before(self, server: Server) -> int:
        """The greatest id."""
        with closing(server.admin(SCHEMA)) as connection:
            return int(connection.row(NODES.sql)[0])

    def acknowledged(self, notes: Path, cut_s: float) -> AcknowledgedNodes:
        """The nodes in the notes."""
        return AcknowledgedNodes(read_notes(notes, read_node), cut_s)


def read_node(at_s: float, words: list[str]) -> NodeNote:
    """The note of a time and words. Raises ValueError."""
    (id_,) = map(number, words)
    return NodeNote(at_s, id_)
