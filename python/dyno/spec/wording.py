"""A claim in words: what it asks and expects. One wording for check, findings and reports."""

from __future__ import annotations

from dyno.spec.claim import Metric, TaskFigure
from dyno.spec.plan import PlannedClaim

# How a claim's ratio is named; of times where nothing is said.
METRICS: dict[Metric, str] = {
    "time": "",
    "throughput": "throughput of ",
    "new_orders_per_min": "new orders/min of ",
    "total_throughput": "total throughput of ",
    "p50": "p50 latency of ",
    "p95": "p95 latency of ",
    "p99": "p99 latency of ",
    "p999": "p99.9 latency of ",
    "bytes_per_row": "bytes a row of ",
    "task_time": "time of the task, ",
    "throughput_beside": "throughput beside the task, ",
    "throughput_kept": "share of throughput kept beside the task, ",
    "task_least": "least value of the task, ",
    "load_time": "time of loading the data, ",
    "steadiness": "variation of throughput from second to second, ",
}
FIGURES: dict[TaskFigure, str] = {
    "progress_error": "points by which reported progress is off at worst",
    "row_log_peak": "percent to which the row log gets full",
    "failed": "failures",
}


def asks(planned: PlannedClaim) -> str:
    """What a claim measures."""
    claim = planned.claim
    at = f" at {planned.at_label}" if planned.at_label else ""
    if claim.ratio_of is None:
        subject = FIGURES[claim.figure] if claim.figure else claim.status
        return f"{subject} of {claim.of}{at}"
    op = f" on {claim.op}" if claim.op else ""
    metric = METRICS[claim.metric or "time"]
    return f"{metric}{claim.ratio_of[0]} / {claim.ratio_of[1]}{op}{at}"


def expects(planned: PlannedClaim) -> str:
    """What a claim expects."""
    claim = planned.claim
    if claim.expect is not None:
        return f"{claim.expect:g}, effect within {claim.within:.0%} of itself"
    if claim.between is not None:
        return f"{claim.between[0]:g} to {claim.between[1]:g}"
    return (
        f"at most {claim.at_most:g}"
        if claim.at_most is not None
        else f"at least {claim.at_least:g}"
    )
