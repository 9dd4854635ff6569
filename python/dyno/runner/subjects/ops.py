"""Ops of the `ledger`: noted by dynoload as each is acknowledged. After a crash all rows are read,
and the binary log, if there is one; `ledger` judges them.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dyno.client import Connection
from dyno.runner.subjects.binlog import written_by
from dyno.runner.subjects.ledger import PAIRS, ROWS, VERSIONS, Note, Row, judge, read_op
from dyno.runner.subjects.notes import noted_before, read_notes
from dyno.runner.subjects.subject import SCHEMA, Looked
from dyno.servers import Server
from dyno.spec.crash_load import Ledger
from dyno.spec.ledger import LoadLedger

# With its key.
_ROW_BYTES = 250
_MB = 1_000_000


@dataclass(frozen=True)
class AcknowledgedOps:
    """Which ops; those that were noted after the cut are known as well, but don't count."""

    notes: list[Note]
    tables: list[str]
    cut_s: float

    @property
    def count(self) -> int:
        """How many."""
        return len(noted_before(self.notes, self.cut_s))

    def look(self, server: Server, before: int) -> Looked:
        """Read all rows, and what of them is in the binary log."""
        with closing(server.admin(SCHEMA)) as connection:
            rows = {table: _rows(connection, table) for table in self.tables}
        return judge(self.notes, rows, self.cut_s, written_by(server))


@dataclass(frozen=True)
class Ops:
    """The subject: ops on rows that say themselves what they must be."""

    load: Ledger

    @property
    def tables(self) -> list[str]:
        """Those that its ops need."""
        ops = self.load.ops
        wanted = {
            ROWS: "insert" in ops or "transaction" in ops,
            PAIRS: "transaction" in ops,
            VERSIONS: "update" in ops,
        }
        return [name for name, is_wanted in wanted.items() if is_wanted]

    @property
    def memory_mb(self) -> int:
        """The rows that are updated."""
        return self.load.rows * _ROW_BYTES // _MB

    def workload(self, engine: str, create_options: str, notes: Path | None) -> LoadLedger:
        """The workload for dynoload, which notes each acknowledged op."""
        return LoadLedger(
            ops=self.load.ops,
            rows=self.load.rows,
            engine=engine,
            create_options=create_options,
            notes_file=str(notes) if notes else None,
        )

    def before(self, server: Server) -> int:
        """Nothing is there that the notes don't name."""
        return 0

    def acknowledged(self, notes: Path, cut_s: float) -> AcknowledgedOps:
        """The ops in the notes."""
        return AcknowledgedOps(read_notes(notes, read_op), self.tables, cut_s)


def _rows(connection: Connection, table: str) -> list[Row]:
    # As bytes that are latin1: what a torn page holds may be anything.
    with connection.streamed(f"SELECT id, version, CAST(body AS BINARY) FROM {table}") as (_, rows):
        return [(int(i), int(v), bytes(text).decode("latin1")) for i, v, text in rows]
