"""Runs of the workload `linkbench`: rate, lists, response times by op, and the rest.

draws.py judges whether the client asked what it should, given what asked.py
expects; deviations from the original are listed in deviations.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from dyno.analysis.linkbench.asked import Asked, asked
from dyno.analysis.linkbench.deviations import deviations
from dyno.analysis.linkbench.draws import draws
from dyno.analysis.linkbench.model import Linkbench, LinkbenchOp, LinkbenchPoint
from dyno.analysis.load.phases import by_code, counted, ok_ops, phases_of
from dyno.analysis.load.response_times import response_times
from dyno.analysis.samples import Samples
from dyno.analysis.tables.size import total_bytes
from dyno.analysis.values import median_of_known, over_blocks
from dyno.spec.linkbench import LISTS, OPS, LinkbenchWorkload
from dyno.spec.plan import Plan, Quantity
from dyno.spec.summary import PhaseSummary
from dyno.store.trial import Trial

LINKS = "linktable"


def linkbench(plan: Plan, samples: Samples) -> Linkbench | None:
    """None for a run of another workload."""
    workload = plan.workload
    if not isinstance(workload, LinkbenchWorkload):
        return None
    phases = phases_of(plan, samples)
    return Linkbench(
        profile=workload.profile,
        ids=workload.ids,
        first_id=workload.first_id,
        properties=workload.properties,
        deviations=list(deviations(plan, workload)),
        points=[
            _point(samples, workload, arm, point, found)
            for (arm, point), found in phases.items()
            if found
        ],
        draws=list(draws(plan, workload, phases)),
    )


def _point(
    samples: Samples, workload: LinkbenchWorkload, arm: str, point: int, phases: list[PhaseSummary]
) -> LinkbenchPoint:
    metric = workload.headline
    rates = samples.of(Quantity(arm=arm, op=LISTS, point=point, metric=metric))
    lists, at_limit = counted(phases, "lists"), counted(phases, "lists_at_limit")
    trials = [t for t in samples.ok if (t.arm, t.point) == (arm, point)]
    return LinkbenchPoint(
        arm=arm,
        point=point,
        trials=len(phases),
        ops_per_s=median(rates.values()) if rates else None,
        lists=lists,
        range_size=over_blocks(list(_range_sizes(phases))),
        at_limit_share=at_limit / lists if lists and at_limit is not None else None,
        ops=list(_ops(phases, asked(workload))),
        retries=by_code(phase.retries for phase in phases),
        failed=by_code(phase.failed for phase in phases),
        size_before_bytes=median_of_known(total_bytes(trial.sizes_before) for trial in trials),
        size_after_bytes=median_of_known(total_bytes(trial.sizes) for trial in trials),
        link_rows_per_id=median_of_known(_links_per_id(trial, workload.ids) for trial in trials),
    )


def _range_sizes(phases: list[PhaseSummary]) -> Iterator[float]:
    """Rows per list, one value per trial; none if a trial lacks them, or no list had a row."""
    for phase in phases:
        lists, rows = phase.counters.get("lists"), phase.counters.get("list_rows")
        if lists and rows:
            yield rows / lists


def _links_per_id(trial: Trial, ids: int) -> float | None:
    rows = next((table.rows for table in trial.sizes if table.table == LINKS), None)
    return None if rows is None else rows / ids


def _ops(phases: list[PhaseSummary], wanted: Asked | None) -> Iterator[LinkbenchOp]:
    total = sum(op.count for op in ok_ops(phases, *OPS))
    for name in OPS:
        times = response_times(ok_ops(phases, name))
        if times is not None:
            yield LinkbenchOp(
                name=name,
                count=times.count,
                share=times.count / total,
                asked_share=wanted.mix[name] if wanted else None,
                mean_ms=times.mean_ms,
                p50_ms=times.quantile_ms(0.5),
                p95_ms=times.quantile_ms(0.95),
                p99_ms=times.quantile_ms(0.99),
                p999_ms=times.quantile_ms(0.999),
                max_ms=times.max_ms,
            )
