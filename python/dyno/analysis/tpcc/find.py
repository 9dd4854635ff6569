"""Runs of the workload `tpcc`: new orders/min, response times by type, and the rest.

TPC-C-like. The drawn inputs are judged in audit.py, deviations listed in deviations.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from dyno.analysis.load.histograms import Histogram
from dyno.analysis.load.phases import by_code, counted, ok_ops, phases_of
from dyno.analysis.load.response_times import ResponseTimes, response_times
from dyno.analysis.samples import Samples
from dyno.analysis.tables.size import total_bytes
from dyno.analysis.tpcc.audit import audit
from dyno.analysis.tpcc.deviations import deviations
from dyno.analysis.tpcc.model import LimitState, Tpcc, TpccPoint, TpccType
from dyno.analysis.values import median_of_known
from dyno.spec.metrics import MetricKey
from dyno.spec.plan import Plan, Quantity
from dyno.spec.summary import PhaseSummary
from dyno.spec.tpcc import NEW_ORDER, ROLLBACK, TpccWorkload
from dyno.stats import wilson

# Each type's ops, and the limit in seconds that 90 % of them must keep (5.2.5).
TYPES: dict[str, tuple[tuple[str, ...], float]] = {
    "New-Order": ((NEW_ORDER, ROLLBACK), 5.0),
    "Payment": (("payment",), 5.0),
    "Order-Status": (("order_status",), 5.0),
    "Delivery": (("delivery",), 5.0),
    "Stock-Level": (("stock_level",), 20.0),
}
WITHIN = 0.9
# More than a warehouse can do with the pauses: 45 of 100 transactions in 2099 s, ten terminals.
CEILING_PER_MIN = 45 / 2099 * 60 * 10


def tpcc(plan: Plan, samples: Samples) -> Tpcc | None:
    """None for a run of another workload."""
    workload = plan.workload
    if not isinstance(workload, TpccWorkload):
        return None
    phases = phases_of(plan, samples)
    return Tpcc(
        mode=workload.mode,
        warehouses=workload.warehouses,
        deviations=list(deviations(plan, workload)),
        points=[
            _point(samples, workload, arm, point, found)
            for (arm, point), found in phases.items()
            if found
        ],
        audit=list(audit(plan, workload, phases)),
    )


def _point(
    samples: Samples, workload: TpccWorkload, arm: str, point: int, phases: list[PhaseSummary]
) -> TpccPoint:
    with_rollbacks = _median(samples, arm, point, "new_orders_per_min")
    without_per_s = _median(samples, arm, point, "throughput")
    per_warehouse = None if with_rollbacks is None else with_rollbacks / workload.warehouses
    as_specified = workload.mode == "paced" and workload.pause_scale == 1
    delivered, skipped = (
        counted(phases, "delivered_orders"),
        counted(phases, "skipped_deliveries"),
    )
    trials = [t for t in samples.ok if (t.arm, t.point) == (arm, point)]
    return TpccPoint(
        arm=arm,
        point=point,
        trials=len(phases),
        new_orders_per_min=with_rollbacks,
        without_rollbacks_per_min=None if without_per_s is None else without_per_s * 60,
        per_warehouse_per_min=per_warehouse,
        of_ceiling=per_warehouse / CEILING_PER_MIN if per_warehouse and as_specified else None,
        types=list(_types(phases, paced=workload.mode == "paced")),
        retries=by_code(phase.retries for phase in phases),
        failed=by_code(phase.failed for phase in phases),
        delivered_orders=delivered,
        skipped_deliveries=skipped,
        skipped_share=_share(skipped, delivered),
        queued_deliveries=counted(phases, "deliveries_queued"),
        executed_in_time=counted(phases, "deliveries_in_time"),
        size_before_bytes=median_of_known(total_bytes(trial.sizes_before) for trial in trials),
        size_after_bytes=median_of_known(total_bytes(trial.sizes) for trial in trials),
    )


def _median(samples: Samples, arm: str, point: int, metric: MetricKey) -> float | None:
    by_block = samples.of(Quantity(arm=arm, op=NEW_ORDER, point=point, metric=metric))
    return median(by_block.values()) if by_block else None


def _share(skipped: int | None, delivered: int | None) -> float | None:
    if skipped is None or delivered is None or skipped + delivered == 0:
        return None
    return skipped / (skipped + delivered)


def _types(phases: list[PhaseSummary], *, paced: bool) -> Iterator[TpccType]:
    for name, (ops, limit_s) in TYPES.items():
        times = response_times(ok_ops(phases, *ops))
        if times is not None:
            yield _type(name, times, limit_s if paced else None)


def _type(name: str, times: ResponseTimes, limit_s: float | None) -> TpccType:
    p90_ms = times.quantile_ms(0.9)
    return TpccType(
        name=name,
        count=times.count,
        mean_ms=times.mean_ms,
        p50_ms=times.quantile_ms(0.5),
        p90_ms=p90_ms,
        p95_ms=times.quantile_ms(0.95),
        p99_ms=times.quantile_ms(0.99),
        max_ms=times.max_ms,
        limit_s=limit_s,
        limit=_limit(times.histogram, limit_s) if limit_s is not None else None,
        mean_kept=None if p90_ms is None else times.mean_ms <= p90_ms,
    )


def _limit(histogram: Histogram, limit_s: float) -> LimitState:
    """Judged by the number of ops within the limit, for which few ops are enough."""
    low, high = wilson(histogram.count_within(limit_s * 1000), histogram.count)
    if low >= WITHIN:
        return "kept"
    return "missed" if high < WITHIN else "too few"
