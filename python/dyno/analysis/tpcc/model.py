"""What the findings of a run of `tpcc` add to those of any load. None never stands for 0.

TPC-C-like and never audited: the specification's audit ranges are applied to our own client.
"""

from __future__ import annotations

from typing import Literal

from dyno.analysis.part import FindingsPart

AuditState = Literal["in range", "out of range", "too few", "not applicable"]
LimitState = Literal["kept", "missed", "too few"]


class TpccType(FindingsPart):
    """Response times of one transaction type, over the ok ops of all trials; New-Order includes
    those that roll back.

    A percentile is None if there are too few ops for it. In mode paced: `limit_s`, the limit for 90
    % of them, and whether it is kept. `mean_kept`: the mean is not above the 90th percentile.
    """

    name: str
    count: int
    mean_ms: float
    p50_ms: float | None = None
    p90_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float
    limit_s: float | None = None
    limit: LimitState | None = None
    mean_kept: bool | None = None


class TpccPoint(FindingsPart):
    """One arm at one point: rates are medians of the blocks, counts sums over the `trials`.

    `per_warehouse_per_min` is new orders/min, `of_ceiling` its share of 12.86 in mode paced with
    the specification's pauses. `skipped_share`: the share of the districts visited by deliveries in
    which no order was waiting. Of queued deliveries (None where they are inline),
    `executed_in_time` were executed within 80 s. Sizes are medians over the trials.
    """

    arm: str
    point: int
    trials: int
    new_orders_per_min: float | None = None
    without_rollbacks_per_min: float | None = None
    per_warehouse_per_min: float | None = None
    of_ceiling: float | None = None
    types: list[TpccType]
    retries: dict[str, int]
    failed: dict[str, int]
    delivered_orders: int | None = None
    skipped_deliveries: int | None = None
    skipped_share: float | None = None
    queued_deliveries: int | None = None
    executed_in_time: int | None = None
    size_before_bytes: float | None = None
    size_after_bytes: float | None = None


class TpccAudit(FindingsPart):
    """One figure of the drawn inputs against its audit range; `point` None: all points together.

    `value` is a share, or lines per order, of `n`; `sure_low` to `sure_high` is its 99 % interval.
    In range: the whole interval lies within; out of range: no part of it does.
    """

    arm: str
    point: int | None
    figure: str
    value: float | None
    n: int
    low: float
    high: float
    sure_low: float | None = None
    sure_high: float | None = None
    state: AuditState


class Tpcc(FindingsPart):
    """What a run of the workload shows; `deviations` from the specification, in words."""

    mode: Literal["paced", "unpaced"]
    warehouses: int
    deviations: list[str]
    points: list[TpccPoint]
    audit: list[TpccAudit]
