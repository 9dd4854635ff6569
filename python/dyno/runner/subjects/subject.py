"""What a crash is about: whose tables, what is acknowledged, and how to look for it afterwards. One
file each: ops of the ledger, orders, nodes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dyno.servers import Server
from dyno.spec.crash_load import Load
from dyno.spec.workload import AnyLoadWorkload
from dyno.store.crash import Moment

# Where the tables are.
SCHEMA = "dyno_durability"


@dataclass(frozen=True)
class Looked:
    """What was found of what had been acknowledged, in the terms of `dyno.store.crash.Crash`. What
    a subject can't see has its default.
    """

    lost: int
    incomplete: int
    example: str | None
    surplus: int
    lost_s: float | None = None
    moments: list[Moment] = field(default_factory=list)
    wrong: int = 0
    twice: int = 0
    ahead: int | None = None
    behind: int | None = None


class Acknowledged(Protocol):
    """What was acknowledged to clients before a crash."""

    @property
    def count(self) -> int:
        """How much of it there is."""

    def look(self, server: Server, before: int) -> Looked:
        """Look for it; `before` is the subject's figure when the load began. Raises SqlError."""


class Subject(Protocol):
    """A load whose acknowledged work can be looked for."""

    @property
    def load(self) -> Load:
        """What was asked for."""

    @property
    def tables(self) -> Collection[str]:
        """Their names."""

    @property
    def memory_mb(self) -> int:
        """How much of the data the load touches, in MB."""

    def workload(self, engine: str, create_options: str, notes: Path | None) -> AnyLoadWorkload:
        """The workload for dynoload. `notes` is where it notes what is acknowledged."""

    def before(self, server: Server) -> int:
        """A figure of the tables that grows with what is acknowledged. Raises SqlError."""

    def acknowledged(self, notes: Path, cut_s: float) -> Acknowledged:
        """What a finished load got acknowledged before that time of the monotonic clock. Raises
        LoadError for notes that aren't valid.
        """
