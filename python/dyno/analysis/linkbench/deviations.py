"""Where a run of `linkbench` deviates from the original, in words, according to its plan."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.load_plan import Retries
from dyno.spec.plan import Plan
from dyno.spec.units import plural

PARTITIONS = 16
# What crates/linkbench/src/plans.rs writes into its plans.
DOOR_RETRIES = 65_535


def deviations(plan: Plan, workload: LinkbenchWorkload) -> Iterator[str]:
    """Those of every run first, then those specific to this plan."""
    yield (
        "A requester has one connection, where the original has two: reads are autocommitted, "
        "writes are transactions of their own. It takes the same round trips or fewer."
    )
    yield (
        "A transaction that meets a deadlock or waits too long for a lock is rolled back before "
        f"it is tried again, at most {plural(Retries().limit, 'time')} in an experiment and "
        f"{plural(DOOR_RETRIES, 'time')} by dyno linkbench; the original neither rolls back nor "
        "gives up, so that its counts may drift."
    )
    yield (
        "A list that reads on from an earlier one is timed like every other; the original notes "
        "0 for it. The time of get_node excludes drawing its id; the original's includes it."
    )
    yield (
        "Loaded times are counted from a fixed instant, not from now, so that the same seed loads "
        "the same rows."
    )
    if any(point.rate_per_s is not None for point in plan.points):
        yield (
            "Latency counts from when an op was due; the original counts from when it was sent, "
            "which hides what waits behind a stall."
        )
    if workload.distribution is None:
        yield (
            "How many links an id has comes from a compact table, not from the Distribution.dat of "
            "the profile: about 0.1 % fewer links."
        )
    yield from _schema(workload)
    if plan.protocol.restart != "trial":
        yield (
            "Several trials go on with the same data, in a drawn order: a later one finds the "
            "links and nodes of those before it."
        )


def _schema(workload: LinkbenchWorkload) -> Iterator[str]:
    """Where the tables differ from the original's, and which properties were changed."""
    if workload.partitions == 0:
        yield f"linktable isn't partitioned; the original's has {PARTITIONS} partitions."
    elif workload.partitions != PARTITIONS:
        yield (
            f"linktable has {plural(workload.partitions, 'partition')}; the original's has "
            f"{PARTITIONS}."
        )
    if workload.secondary_index == "after":
        yield (
            "The index id1_type is made when all rows are in, as the original's guide advises, "
            "not with the table: it is denser at first."
        )
    if workload.properties:
        given = ", ".join(
            f"{name} = {value}" for name, value in sorted(workload.properties.items())
        )
        yield f"Properties that the experiment changed: {given}."
