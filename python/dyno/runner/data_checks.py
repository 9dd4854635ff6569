"""Checks the rules of a workload's data on the server that was measured: after the load, and as a
step of trials. What the rules are is known to `checks`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pymysql

from dyno.checks import run_checks, unchecked
from dyno.errors import BrokenDataError, ServerError
from dyno.servers import ReadableServer
from dyno.spec.data_check import FIRST_BLOCK, NEVER, CheckData, DataCheck
from dyno.spec.plan import Plan

Say = Callable[[str], None]


def when(plan: Plan) -> CheckData:
    """After which trials the plan has its data checked; workloads without rules lack the key."""
    found: CheckData = getattr(plan.own_workload, "check_data", NEVER)
    return found


def due(plan: Plan, *, block: int) -> bool:
    """Whether the data are checked after a trial of this block (from 0)."""
    return when(plan) != NEVER and (block == 0 or when(plan) != FIRST_BLOCK)


def check_data(
    server: ReadableServer, schema: str, kind: str, *, just_loaded: bool, say: Say
) -> list[DataCheck]:
    """Make the checks of a workload; where the server can't be asked, none is made and says why.

    `say` is told what is being checked.
    """
    try:
        with closing(server.admin(schema)) as connection:
            return run_checks(
                connection,
                kind,
                just_loaded=just_loaded,
                on_check=lambda check, number, count: say(
                    f"checking the data, {number} of {count}: {check.name}"
                ),
            )
    except ServerError as error:
        return unchecked(kind, error.message, just_loaded=just_loaded)
    except pymysql.MySQLError as error:
        return unchecked(kind, str(error.args[-1]), just_loaded=just_loaded)


def require_good_dataset(
    plan: Plan, server: ReadableServer, schema: str, *, arm: str, say: Say
) -> None:
    """Check a dataset that was just loaded. Raises BrokenDataError unless every check is ok."""
    if when(plan) == NEVER:
        return
    say(f"checking the dataset for {arm}")
    kind = plan.own_workload.kind
    checks = check_data(server, schema, kind, just_loaded=True, say=lambda text: None)
    bad = [check.line for check in checks if check.state != "ok"]
    if bad:
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise BrokenDataError(
            f"the dataset loaded for {arm!r} failed its check: {bad[0]}{more}",
            hint="it isn't used: a server that loses rows in a load can't be measured; see "
            "docs/reference/data-checks.md",
        )
