"""When a trial has failed, and when going on can't help. Pure: based on the load's events.

Overload is a result: failed ops are data, and a load trial fails only if so much was lost that
nothing of it can be called the server's speed.
"""

from __future__ import annotations

import re

from dyno.errors import RunFailedError
from dyno.spec.events import EventLog, LoadFault, PhaseSummary
from dyno.store.trial import Trial

FAILED_SHARE_MAX = 0.5
SERVER_DIED = "the server died in mid-trial"
# The SQLSTATE of a lost connection and other troubles of the client: not the statement's fault.
LOST = "HY000"
# Deadlock, lock wait, changed row; connection lost, refused, killed in time; read-only for a while.
PASSING_CODES = frozenset((1205, 1213, 1020, 1317, 2002, 2003, 2006, 2013, 2027, 3024))
_HINTS = {
    1040: "raise max_connections in the arm's settings, or run fewer connections",
    1203: "raise max_user_connections, or run fewer connections",
    1461: "raise max_prepared_stmt_count in the arm's settings, run fewer connections, "
    "or set prepared = false",
}
_MEND = "fix the workload or the arm's settings, or leave the arm out with --arms"


def lost_statement(log: EventLog) -> str | None:
    """Why a trial of statements gives no figure: all must have succeeded."""
    for run in log.statements:
        if run.outcome != "ok":
            said = f": {run.error.code} {run.error.message}" if run.error else ""
            return f"statement {run.statement} failed{said}"
    return None


def lost_load(log: EventLog) -> str | None:
    """Why a load that ran to its end gives no figure: most ops failed, or none ended."""
    measured = log.summary.phase("measure") if log.summary else None
    if measured is None:
        return "the load ended before anything was measured"
    if lost_share(measured) > FAILED_SHARE_MAX:
        failed = sum(measured.failed.values())
        ended = measured.ok + failed
        code = _commonest(measured)
        said = _said_of(code, log.faults)
        return f"{failed:,} of {ended:,} ops failed, most with error {code}{said}"
    if not measured.ok:
        return f"none of {measured.scheduled:,} ops ended in the measured phase"
    return None


def hopeless(trial: Trial, *, refused: bool) -> RunFailedError | None:
    """What a failed trial of the first block says about all later ones, or None if another may
    succeed.

    A statement that the server refuses will be refused in all trials. `refused`: so was the login,
    or something else that the load needs.
    """
    if trial.status != "failed" or (trial.failure or "").startswith(SERVER_DIED):
        return None
    for run in trial.statements:
        if run.error is not None and run.error.sqlstate not in (None, LOST):
            return RunFailedError(
                f"arm {trial.arm!r}: statement {run.statement} failed with error "
                f"{run.error.code} ({run.error.sqlstate}): {run.error.message}",
                hint="fix the statement, or leave the arm out with --arms",
            )
    measured = trial.summary.phase("measure") if trial.summary else None
    broken = (
        measured is not None
        and lost_share(measured) > FAILED_SHARE_MAX
        and _commonest(measured) not in PASSING_CODES
    )
    if not broken and not (refused and measured is None):
        return None
    return RunFailedError(f"arm {trial.arm!r}: {trial.failure}", hint=_hint(trial))


def lost_share(phase: PhaseSummary) -> float:
    """Failed ops as a share of those that ended; 0 where none ended."""
    failed = sum(phase.failed.values())
    return failed / (phase.ok + failed) if failed else 0.0


def _commonest(phase: PhaseSummary) -> int:
    return int(max(phase.failed, key=lambda code: phase.failed[code]))


def _said_of(code: int, faults: list[LoadFault]) -> str:
    """The message that came with an error number, if there was one."""
    of_ops = (fault.message for fault in faults if fault.scope == "op")
    found = next((said for said in of_ops if re.search(rf"\b{code}\b", said)), None)
    return f" ({found})" if found else ""


def _hint(trial: Trial) -> str:
    codes = re.findall(r"\b1\d{3}\b", trial.failure or "")
    known = (_HINTS[int(code)] for code in codes if int(code) in _HINTS)
    said = next((fault.hint for fault in trial.faults if fault.fatal and fault.hint), None)
    return next(known, said or _MEND)
