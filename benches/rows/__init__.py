"""All rows of the table. A workload's rows are a file here and a line below."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch

from benches.rows import (
    agents,
    doors,
    ladder,
    linkbench,
    loading,
    oltp,
    profiling,
    queries,
    scripts,
    tpcc,
)
from benches.rows.row import Row
from dyno.errors import SpecError

ROWS: tuple[Row, ...] = (
    *oltp.ROWS,
    *queries.ROWS,
    *scripts.ROWS,
    *loading.ROWS,
    *doors.ROWS,
    *tpcc.ROWS,
    *linkbench.ROWS,
    *ladder.ROWS,
    *profiling.ROWS,
    *agents.ROWS,
)


def chosen(rows: Sequence[Row], only: str | None) -> list[Row]:
    """The rows of a name, of the first words of names (up to a dot), or of a pattern with `*`; else
    the usual ones.
    """
    if only is None:
        return [row for row in rows if row.usual]
    found = [row for row in rows if fnmatch(row.name, only) or row.name.startswith(only + ".")]
    if not found:
        known = ", ".join(row.name for row in rows if row.usual)
        raise SpecError(f"no row is called {only!r}", hint=f"rows: {known}")
    return found
