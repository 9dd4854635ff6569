"""One crash: a fresh copy of the data, load, the cut, recovery, and the account of what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from dyno.client import SqlError
from dyno.errors import LoadError, PowerError, ServerError
from dyno.runner.crashes.template import Template
from dyno.runner.durability.account import READ_BACK
from dyno.runner.durability.crash import KilledLoad, crash_under_load
from dyno.runner.sites import Site
from dyno.runner.subjects import SCHEMA, Looked, check_rules
from dyno.servers import Server, log_findings
from dyno.servers.datadir import copy_folder
from dyno.spec.changed import changed
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

    Raises ServerError or LoadError if the server or its load failed before the crash, or filled the
    file system of the data: nothing was tested then.
    """
    begun_s = time.monotonic()
    copy_folder(template.path, site.data)
    notes = folder / "notes"
    found, before, load = _crashed(template, site, order, folder, notes)
    acknowledged = template.subject.acknowledged(notes, load.cut_s)
    if not acknowledged.count:
        raise LoadError(
            f"{order.cell.arm}: no {template.subject.load.counted} were acknowledged in "
            f"{order.after_s:.1f} s, so that none could be lost",
            hint="give a longer warmup in [crashes]",
        )
    crash = Crash(
        number=order.number,
        round=order.round,
        arm=order.cell.arm,
        kind=order.cell.kind,
        product=template.installation.product,
        version=template.installation.version,
        settings={name: found.get(name) for name in READ_BACK},
        after_s=round(order.after_s, 3),
        ops_per_s=round(load.ops_per_s, 1),
        acknowledged=acknowledged.count,
        # One op a connection may have been done without an answer, or failed after it was done.
        allowed=template.subject.load.connections + load.failed,
    )
    look = partial(acknowledged.look, before=before)
    crash = _recovered(template, site, crash, folder / "after", look)
    return changed(crash, took_s=round(time.monotonic() - begun_s, 2))


def _crashed(
    template: Template, site: Site, order: Order, folder: Path, notes: Path
) -> tuple[dict[str, str], int, KilledLoad]:
    """Load and the cut: the server's variables and the subject's figure before, and what the load
    says. Raises as above.
    """
    try:
        server = template.start(site.data, folder / "before", timeout_s=RECOVERY_S)
        try:
            found, before = server.variables(), template.subject.before(server)
            site.settle()
            phase = template.phase(order.after_s + _LATEST_S)
            plan = template.plan(server, phase, seed=order.ops_seed, notes=notes)
            load = crash_under_load(server, plan, folder, after_s=order.after_s, cut=site.cut)
        finally:
            server.kill()
    except (ServerError, LoadError) as error:
        full = site.full()
        if full is None:
            raise
        kind = LoadError if isinstance(error, LoadError) else ServerError
        raise kind(f"{error.message}; {full.message}", hint=full.hint) from error
    full = site.full()
    if full is not None:
        raise full
    return found, before, load


Look = Callable[[Server], Looked]
"""Looks for what was acknowledged on the server that came back."""


def _recovered(template: Template, site: Site, crash: Crash, logs: Path, look: Look) -> Crash:
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
        crash = _looked(template, server, crash, look)
    finally:
        server.kill()
    found = [f"{line.severity}: {line.text}" for line in log_findings(logs / "server.err")]
    return changed(crash, log=found[:_LOG_LINES])


def _looked(template: Template, server: Server, crash: Crash, look: Look) -> Crash:
    """Is the engine there, what does CHECK say, and what is in the tables? Repairs come last."""
    if not template.has_engine(server):
        words = f"the server came back without {template.engine}"
        return changed(crash, state="no engine", failure=words)
    tables = template.subject.tables
    complaints = [line for table in tables for line in _check(server, table, "CHECK", "EXTENDED")]
    crash = changed(crash, checks=complaints)
    try:
        return _account(template, server, crash, look)
    except SqlError as error:
        if not (error.by_server or error.code in _LOST):
            raise  # A limit of ours says nothing about the server.
        crash = changed(crash, failure=f"can't be read: {error.words}", state="unreadable")
    for table in tables:
        with suppress(ServerError):
            list(_check(server, table, "REPAIR", ""))
    try:
        return changed(_account(template, server, crash, look), state="repaired")
    except ServerError:
        return crash


def _account(template: Template, server: Server, crash: Crash, look: Look) -> Crash:
    """What is there, and the rules of the data that it breaks."""
    looked = look(server)
    rules = check_rules(server, template.subject)
    broken = [rule.line for rule in rules if rule.state != "ok"]
    return changed(crash, **asdict(looked), checks=[*crash.checks, *broken])


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
