"""What a durability test is about: whose tables, what is acknowledged, and how to look for it after
a kill. One file each: orders, nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dyno.client import Connection
from dyno.spec.events import EventLog
from dyno.spec.linkbench import LoadLinkbench
from dyno.spec.tpcc import LoadTpcc


@dataclass(frozen=True)
class Looked:
    """What was found of what had been acknowledged. `incomplete` of the `lost` are there in part.
    `surplus`: what is there without an acknowledgement, which got lost after the commit.
    """

    lost: int
    incomplete: int
    example: str | None
    surplus: int


class Acknowledged(Protocol):
    """What was acknowledged to clients before a kill."""

    @property
    def count(self) -> int:
        """How much of it there is."""

    def look(self, connection: Connection, before: int) -> Looked:
        """Look for it; `before` is the subject's figure when the load began. The connection can't
        be reused: its session is changed. Raises SqlError.
        """


class Subject(Protocol):
    """A workload whose acknowledged work can be looked for."""

    @property
    def workload(self) -> str:
        """Its kind, by which its data are checked."""

    @property
    def data(self) -> str:
        """What is loaded: "2 warehouses"."""

    @property
    def counted(self) -> str:
        """The plural of what is acknowledged: "new orders"."""

    @property
    def is_noted(self) -> bool:
        """Whether each acknowledgement is noted with its time."""

    @property
    def memory_mb(self) -> int:
        """How much of the data the load touches, in MB."""

    def load(self, engine: str, notes: Path | None) -> LoadTpcc | LoadLinkbench:
        """The workload for dynoload. `notes` is where it may note what was acknowledged."""

    def before(self, connection: Connection) -> int:
        """A figure of the tables that grows with what is acknowledged."""

    def acknowledged(self, notes: Path, log: EventLog, cut_s: float) -> Acknowledged:
        """What a finished load got acknowledged before that time of the monotonic clock. Raises
        LoadError for notes that aren't valid.
        """
