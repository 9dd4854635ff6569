"""Runs the checks of a workload on one consistent snapshot of its schema."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from dyno.checks.model import Check, Checks
from dyno.checks.registry import KINDS
from dyno.client import Connection, SqlError, reads_answers
from dyno.spec.changed import changed
from dyno.spec.data_check import DataCheck, broken

# Settings of our own session: with any sql_mode of the server the statements mean the same, and
# groups are sorted in memory as far as this reaches.
_SESSION = (
    "SET SESSION sql_mode = ''",
    "SET SESSION sort_buffer_size = 33554432",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
)

# The engines of the schema's tables that can't roll back.
_NO_TRANSACTIONS = (
    "SELECT GROUP_CONCAT(DISTINCT t.engine) FROM information_schema.tables AS t "
    "JOIN information_schema.engines AS e ON e.engine = t.engine "
    "WHERE t.table_schema = DATABASE() AND COALESCE(e.transactions, 'NO') <> 'YES'"
)

OnCheck = Callable[[Check, int, int], None]
"""Told before each check: (the check, its number from 1, how many there are)."""


def run_checks(
    connection: Connection,
    kind: str,
    *,
    just_loaded: bool = False,
    on_check: OnCheck = lambda check, number, count: None,
) -> list[DataCheck]:
    """Run the checks of a workload that apply now, in the connection's schema.

    `just_loaded` adds those that hold only right after the load. A check that the server refuses
    isn't made and says so. The session's settings stay changed: use a dedicated connection.
    Engines without snapshots are consistent only while nobody writes.
    """
    checks = KINDS[kind]
    wanted = checks.that_apply(just_loaded=just_loaded)
    reason = _begin(connection, checks)
    results = []
    for number, check in enumerate(wanted, 1):
        on_check(check, number, len(wanted))
        results.append(_unchecked(check, reason) if reason else _made(connection, check))
    results = _explained(connection, results)
    with contextlib.suppress(SqlError):
        connection.commit()  # The snapshot would keep old rows from being purged.
    return results


def unchecked(kind: str, reason: str, *, just_loaded: bool = False) -> list[DataCheck]:
    """The checks that apply now, none of which could be made."""
    wanted = KINDS[kind].that_apply(just_loaded=just_loaded)
    return [_unchecked(check, reason) for check in wanted]


def _begin(connection: Connection, checks: Checks) -> str | None:
    """Take the snapshot; returns why nothing can be checked on it, if so."""
    try:
        for sql in _SESSION:
            connection.run(sql)
        filled = connection.rows(f"SELECT 1 FROM {checks.filled} LIMIT 1")
        return None if filled else f"the table {checks.filled} is empty"
    except SqlError as error:
        return error.words


def _made(connection: Connection, check: Check) -> DataCheck:
    begun_s = time.monotonic()
    try:
        bad_rows, example = _counted(connection, check)
    except SqlError as error:
        return _unchecked(check, error.words, duration_s=time.monotonic() - begun_s)
    return DataCheck(
        name=check.name,
        says=check.says,
        state="broken" if bad_rows else "ok",
        bad_rows=bad_rows,
        example=example,
        duration_s=round(time.monotonic() - begun_s, 3),
    )


@reads_answers
def _counted(connection: Connection, check: Check) -> tuple[int, str | None]:
    """How many rows break the rule, and one of them."""
    bad_rows, example = connection.row(check.sql)
    if isinstance(example, bytes):
        example = example.decode("utf-8", errors="replace")
    return int(bad_rows), None if example is None else str(example)


def _explained(connection: Connection, results: list[DataCheck]) -> list[DataCheck]:
    """What is broken, explained by tables without transactions if there are any."""
    if not broken(results):
        return results
    try:
        engines = connection.row(_NO_TRANSACTIONS)[0]
    except SqlError:
        return results  # The account may not see engines: what is broken is reported anyway.
    if engines is None:
        return results
    reason = f"{engines} has no transactions: nothing is rolled back"
    return [
        changed(check, reason=reason) if check.state == "broken" else check for check in results
    ]


def _unchecked(check: Check, reason: str, *, duration_s: float = 0.0) -> DataCheck:
    return DataCheck(
        name=check.name,
        says=check.says,
        state="not checked",
        reason=reason,
        duration_s=round(duration_s, 3),
    )
