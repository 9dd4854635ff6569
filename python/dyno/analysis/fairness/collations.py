"""Whether the tables have the same collation on all arms: often a server's default, and it decides
how much work it is to store and compare a string.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.units import plural

NAME = "tables' collations"


def checks(plan: Plan, samples: Samples) -> Iterator[Fairness]:
    """One check; none where no trial has read them, as in older runs."""
    by_arm = samples.first_of_arms(
        lambda trial: {size.table: size.collation for size in trial.sizes if size.collation}
    )
    if not by_arm:
        return
    missing = [arm.name for arm in plan.arms if arm.name not in by_arm]
    if missing:
        says = f"They were not read from {', '.join(missing)}."
        yield Fairness(name=NAME, check="unknown", says=says)
        return
    tables = list(dict.fromkeys(table for read in by_arm.values() for table in read))
    unlike = [t for t in tables if len({read.get(t) for read in by_arm.values()}) > 1]
    if not unlike:
        found = sorted({collation for read in by_arm.values() for collation in read.values()})
        yield Fairness(name=NAME, check="ok", says=f"Equal on all arms: {', '.join(found)}.")
        return
    yield Fairness(
        name=NAME,
        check="warning",
        says=f"{plural(len(unlike), 'table')} {'has' if len(unlike) == 1 else 'have'} another "
        "collation on one arm than on another: part of a difference may be theirs.",
        details=[
            f"{table}: " + "; ".join(f"{read.get(table)} ({arm})" for arm, read in by_arm.items())
            for table in unlike
        ],
    )
