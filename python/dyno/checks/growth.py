"""Rules between two times: what clients saw committed must be in the data. Only these rules notice
an op that is lost entirely.
"""

from __future__ import annotations

from collections.abc import Mapping

from dyno.checks.model import Growth
from dyno.checks.registry import KINDS
from dyno.client import Connection, SqlError, reads_answers
from dyno.spec.data_check import DataCheck


def read_figures(connection: Connection, kind: str) -> dict[str, int]:
    """The current figures of the workload's growths by name; a refused one is missing."""
    found = {}
    for growth in KINDS[kind].growths:
        try:
            found[growth.name] = _figure(connection, growth)
        except SqlError:
            continue
    return found


@reads_answers
def _figure(connection: Connection, growth: Growth) -> int:
    return int(connection.row(growth.sql)[0])


def grown(
    kind: str,
    before: Mapping[str, int],
    after: Mapping[str, int],
    *,
    ok: Mapping[str, int],
    unsure: int,
) -> list[DataCheck]:
    """Compare the figures with the ops that ended ok, by kind, in between.

    `unsure` ops, which failed or were interrupted, may have been committed without a client knowing
    it: the data may have grown by up to that many more. Only these ops may have changed the data.
    """
    return [
        _judged(growth, before.get(growth.name), after.get(growth.name), ok, unsure)
        for growth in KINDS[kind].growths
    ]


def _judged(
    growth: Growth, before: int | None, after: int | None, ok: Mapping[str, int], unsure: int
) -> DataCheck:
    if before is None or after is None:
        when = "before" if before is None else "after"
        return DataCheck(
            name=growth.name,
            says=growth.says,
            state="not checked",
            reason=f"the figure {when} the trial isn't known",
        )
    acknowledged, found = ok.get(growth.op, 0), after - before
    off = max(acknowledged - found, found - acknowledged - unsure, 0)
    return DataCheck(
        name=growth.name,
        says=growth.says,
        state="broken" if off else "ok",
        bad_rows=off,
        example=f"{acknowledged:,} acknowledged, {found:,} in the data" if off else None,
    )
