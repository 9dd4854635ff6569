"""Where a run of `tpcc` deviates from the specification, in words, according to its plan."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.spec.plan import Plan
from dyno.spec.tpcc import TpccWorkload
from dyno.spec.units import format_duration, plural

# How long the specification measures, in steady state.
MEASURED_S = 120 * 60.0


def deviations(plan: Plan, workload: TpccWorkload) -> Iterator[str]:
    """Those of every run first, then those specific to this plan."""
    yield (
        "It is unaudited and TPC-C-like: its figure is new orders/min, which can't be compared "
        "with audited results."
    )
    yield (
        "There are no screens and no menus: response times are seen by a client that is connected "
        "to the server directly."
    )
    if workload.delivery == "queued":
        yield "Deliveries are queued and executed in the background, but leave no result file."
    else:
        yield (
            "Deliveries are executed inline: the terminal waits for all ten districts, there is no "
            "queue and no result file."
        )
    yield "All loaded rows bear one fixed date, so that the same seed loads the same bytes."
    if plan.protocol.duration < MEASURED_S:
        yield (
            f"It measures for {format_duration(plan.protocol.duration)} a trial, not for "
            f"{format_duration(MEASURED_S)}, and doesn't wait for a checkpoint."
        )
    if workload.mode == "unpaced":
        yield from _unpaced(plan, workload)
    elif workload.pause_scale != 1:
        yield (
            f"Keying and think times are {workload.pause_scale:g} times those of the "
            "specification, so 12.86 new orders/min per warehouse isn't the limit."
        )
    if workload.isolation == "read_committed":
        yield (
            "Transactions are isolated at READ COMMITTED, which is weaker than what the "
            "specification asks of all but Stock-Level."
        )
    if plan.protocol.restart != "trial":
        yield (
            "Several trials go on with the same data, in a drawn order: a later one finds the "
            "orders of those before it."
        )


def _unpaced(plan: Plan, workload: TpccWorkload) -> Iterator[str]:
    yield (
        "There is no terminal emulation: connections work without keying and think times, so that "
        "few of them give far more than 12.86 new orders/min of a warehouse and stress few rows."
    )
    if workload.home == "random":
        yield "A connection draws a warehouse for each transaction: no terminal is bound to one."
        return
    fewest = min(point.connections for point in plan.points)
    if fewest < workload.warehouses:
        yield (
            f"Each connection works for one warehouse: {plural(fewest, 'connection')} "
            f"{'leaves' if fewest == 1 else 'leave'} {workload.warehouses - fewest} of "
            f"{plural(workload.warehouses, 'warehouse')} without work of their own."
        )
