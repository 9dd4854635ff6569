"""Checks the rules of a workload's data on the server that was measured: after the load, and as a
step of trials. The rules are in `checks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from dyno.checks import grown, read_figures, run_checks, unchecked
from dyno.errors import BrokenDataError, ServerError
from dyno.servers import WORK_S, ReadableServer
from dyno.spec.checked import check_data_of, is_checked
from dyno.spec.data_check import NEVER, DataCheck
from dyno.spec.plan import Plan
from dyno.spec.summary import Summary

Say = Callable[[str], None]


def check_data(
    server: ReadableServer, schema: str, kind: str, *, just_loaded: bool, say: Say
) -> list[DataCheck]:
    """Run the checks of a workload; if the server can't be asked, each check says so.

    `say` is called with what is being checked.
    """
    try:
        with closing(server.admin(schema, answer_s=WORK_S)) as connection:
            return run_checks(
                connection,
                kind,
                just_loaded=just_loaded,
                on_check=lambda check, number, count: say(
                    f"checking the data, {number} of {count}: {check.name}"
                ),
            )
    except ServerError as error:
        return unchecked(kind, error.words, just_loaded=just_loaded)


@dataclass(frozen=True)
class TrialCheck:
    """The check of a trial's data. `before`: figures that its ops increase, as of its beginning."""

    server: ReadableServer
    schema: str
    kind: str
    before: dict[str, int]

    @classmethod
    def begin(
        cls, plan: Plan, arm: str, server: ReadableServer, schema: str, *, block: int, position: int
    ) -> TrialCheck | None:
        """Before the load; None if the plan wants no check after it."""
        if not is_checked(plan, arm, block=block, position=position):
            return None
        kind = plan.own_workload.kind
        return cls(server, schema, kind, _figures(server, schema, kind))

    def end(self, summary: Summary, *, say: Say) -> list[DataCheck]:
        """After a load that ran to its end: the rules of the data, and how much they have grown."""
        ok: Counter[str] = Counter()
        for phase in summary.phases:
            ok.update({op.op: op.count for op in phase.ops if op.outcome == "ok"})
        unsure = sum(sum(p.failed.values()) + p.unfinished for p in summary.phases)
        after = _figures(self.server, self.schema, self.kind)
        return [
            *check_data(self.server, self.schema, self.kind, just_loaded=False, say=say),
            *grown(self.kind, self.before, after, ok=ok, unsure=unsure),
        ]


def _figures(server: ReadableServer, schema: str, kind: str) -> dict[str, int]:
    """The figures that can be read."""
    try:
        with closing(server.admin(schema)) as connection:
            return read_figures(connection, kind)
    except ServerError:
        return {}


def require_good_dataset(
    plan: Plan, server: ReadableServer, schema: str, *, arm: str, say: Say
) -> None:
    """Check a dataset that was just loaded. Raises BrokenDataError unless every check is ok."""
    if check_data_of(plan) == NEVER:
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
