"""The rules of a subject's data, which hold after a load and after any crash. A ledger has none:
all of it is read back.
"""

from __future__ import annotations

from dyno.checks import KINDS
from dyno.errors import BrokenDataError
from dyno.runner.data_checks import check_data
from dyno.runner.subjects.subject import SCHEMA, Subject
from dyno.servers import Server
from dyno.spec.data_check import DataCheck


def check_rules(server: Server, subject: Subject, *, just_loaded: bool = False) -> list[DataCheck]:
    """Each rule of its data, in the tables of a server."""
    kind = subject.load.kind
    if kind not in KINDS:
        return []
    return check_data(server, SCHEMA, kind, just_loaded=just_loaded, say=_silent)


def refuse_bad_load(server: Server, subject: Subject) -> None:
    """Check what was just loaded. Raises BrokenDataError unless every rule holds."""
    checks = check_rules(server, subject, just_loaded=True)
    bad = [check.line for check in checks if check.state != "ok"]
    if bad:
        raise BrokenDataError(
            f"{subject.load.data} failed the check before any kill: {bad[0]}",
            hint="a server that loses rows in a load has nothing to keep",
        )


def _silent(text: str) -> None:
    """The individual checks of the data are too fast to be shown."""
