"""One crash: a fresh copy of the data, load, the cut, recovery, and the account of what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from dyno.client import Connection, SqlError
from dyno.errors import PowerError, ServerError
from dyno.runner.crashes.binlog import written_by
from dyno.runner.crashes.ledger import (
    PAIRS,
    ROWS,
    VERSIONS,
    Judged,
    Note,
    Row,
    counted_notes,
    judge,
    read_notes,
)
from dyno.runner.crashes.template import SCHEMA, Template
from dyno.runner.durability.account import READ_BACK
from dyno.runner.durability.crash import PHASE, crash_under_load
from dyno.runner.sites import Site
from dyno.servers import Server, log_findings
from dyno.servers.datadir import copy_folder
from dyno.spec.changed import changed
from dyno.spec.load_plan import Phase
from dyno.spec.series import Cell
from dyno.store.crash import Crash

RECOVERY_S = 300.0
# The cut ends the load; if it never comes, this does.
_LATEST_S = 600.0
_LOG_LINES = 12
# The client's numbers for a connection that the server closed: it died while it was asked.
_LOST = (2006, 2013)
_FINE = ("ok", "table is already up to date")


@dataclass(frozen=True)
class Order:
    """Which crash it is to be."""

    number: int
    round: int
    cell: Cell
    after_s: float
    ops_seed: int


def crash_once(template: Template, site: Site, order: Order, folder: Path) -> Crash:
    """Do it; `folder` gets logs and notes, and is outside of what is cut.

    Raises ServerError or LoadError if the server or its load failed before the crash: nothing was
    tested then.
    """
    begun_s = time.monotonic()
    copy_folder(template.path, site.data)
    before, after, notes = folder / "before", folder / "after", folder / "notes"
    server = template.start(site.data, before, timeout_s=RECOVERY_S)
    try:
        found = server.variables()
        site.settle()
        cut = crash_under_load(
            server,
            template.plan(
                server,
                Phase(name=PHASE, duration_s=order.after_s + _LATEST_S),
                seed=order.ops_seed,
                notes=notes,
            ),
            folder,
            after_s=order.after_s,
            cut=site.cut,
        )
    finally:
        server.kill()
    noted = read_notes(notes)
    crash = Crash(
        number=order.number,
        round=order.round,
        arm=order.cell.arm,
        kind=order.cell.kind,
        product=template.installation.product,
        version=template.installation.version,
        settings={name: found.get(name) for name in READ_BACK},
        after_s=round(order.after_s, 3),
        ops_per_s=round(cut.ops_per_s, 1),
        acknowledged=len(counted_notes(noted, cut.cut_s)),
        # One op a connection may have been done without an answer, or failed after it was done.
        allowed=template.load.connections + cut.failed,
    )
    crash = _recovered(template, site, crash, after, partial(_judged, noted, cut.cut_s))
    return changed(crash, took_s=round(time.monotonic() - begun_s, 2))


Judge = Callable[[Server, list[str]], Judged]
"""Reads these tables of the server that came back, and gives the account."""


def _judged(noted: list[Note], cut_s: float, server: Server, tables: list[str]) -> Judged:
    return judge(noted, _read(server, tables), cut_s, written_by(server))


def _recovered(template: Template, site: Site, crash: Crash, logs: Path, judged: Judge) -> Crash:
    """What came back, as far as anything did."""
    try:
        site.restore()
    except PowerError as error:
        return changed(crash, state="no mount", failure=error.message)
    try:
        server = template.start(site.data, logs, timeout_s=RECOVERY_S)
    except ServerError as error:
        said = [line.text for line in log_findings(logs / "server.err")]
        return changed(crash, state="no start", failure=error.message, log=said[-_LOG_LINES:])
    try:
        crash = changed(crash, recovery_s=round(server.started_s, 3))
        crash = _looked(template, server, crash, judged)
    finally:
        server.kill()
    found = [f"{line.severity}: {line.text}" for line in log_findings(logs / "server.err")]
    return changed(crash, log=found[:_LOG_LINES])


def _looked(template: Template, server: Server, crash: Crash, judged: Judge) -> Crash:
    """Is the engine there, what does CHECK say, and what is in the tables? Repairs come last."""
    if not template.has_engine(server):
        words = f"the server came back without {template.engine}"
        return changed(crash, state="no engine", failure=words)
    tables = _tables(template)
    complaints = [line for table in tables for line in _check(server, table, "CHECK", "EXTENDED")]
    crash = changed(crash, checks=complaints)
    try:
        return _account(crash, judged(server, tables))
    except SqlError as error:
        if not (error.by_server or error.code in _LOST):
            raise  # A limit of ours says nothing about the server.
        crash = changed(crash, failure=f"can't be read: {error.words}", state="unreadable")
    for table in tables:
        with suppress(ServerError):
            list(_check(server, table, "REPAIR", ""))
    try:
        return changed(_account(crash, judged(server, tables)), state="repaired")
    except ServerError:
        return crash


def _account(crash: Crash, judged: Judged) -> Crash:
    return changed(crash, **asdict(judged))


def _tables(template: Template) -> list[str]:
    ops = template.load.ops
    wanted = {
        ROWS: "insert" in ops or "transaction" in ops,
        PAIRS: "transaction" in ops,
        VERSIONS: "update" in ops,
    }
    return [name for name, is_wanted in wanted.items() if is_wanted]


def _check(server: Server, table: str, verb: str, how: str) -> Iterator[str]:
    """What CHECK or REPAIR TABLE complains of. A note says that an engine can't do it, a warning
    that nobody closed the table, which is no damage.
    """
    try:
        with closing(server.admin(SCHEMA)) as connection:
            found = connection.rows(f"{verb} TABLE {table} {how}")
    except SqlError as error:
        yield f"{table}: {error.words}"
        return
    for _, _, kind, said in found:
        if str(kind).lower() in ("error", "status") and str(said).lower() not in _FINE:
            yield f"{table}: {kind}: {said}"


def _read(server: Server, tables: list[str]) -> dict[str, list[Row]]:
    """All rows. Raises SqlError."""
    with closing(server.admin(SCHEMA)) as connection:
        return {table: _rows(connection, table) for table in tables}


def _rows(connection: Connection, table: str) -> list[Row]:
    # As bytes that are latin1: what a torn page holds may be anything.
    with connection.streamed(f"SELECT id, version, CAST(body AS BINARY) FROM {table}") as (_, rows):
        return [(int(i), int(v), bytes(text).decode("latin1")) for i, v, text in rows]
