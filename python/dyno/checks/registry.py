"""Which workloads' data can be checked, and which workload a schema holds. One line each."""

from __future__ import annotations

from dyno.checks import linkbench, tpcc
from dyno.checks.model import Checks
from dyno.client import Connection, reads_answers
from dyno.errors import SpecError

KINDS: dict[str, Checks] = {
    "tpcc": tpcc.CHECKS,
    "linkbench": linkbench.CHECKS,
}


@reads_answers
def find_kind(connection: Connection) -> str:
    """The workload whose tables the connection's schema has. Raises SpecError if there is none."""
    rows = connection.rows(
        "SELECT DATABASE(), table_name FROM information_schema.tables "
        "WHERE table_schema = DATABASE()"
    )
    found = {str(name).lower() for _, name in rows}
    for kind, checks in KINDS.items():
        if checks.tables <= found:
            return kind
    nearest = min(KINDS, key=lambda kind: len(KINDS[kind].tables - found))
    lacking = ", ".join(sorted(KINDS[nearest].tables - found))
    raise SpecError(
        f"the schema holds no workload whose data can be checked: it has no {lacking}"
        if rows
        else "the schema is missing or has no tables",
        hint=f"give the --schema that a workload was loaded into; checked are {', '.join(KINDS)}",
    )
