"""A claim in words: what it asks and expects. One wording for check, findings and reports."""

from __future__ import annotations

from dyno.spec.metrics import METRICS, TASK_FIGURES
from dyno.spec.plan import PlannedClaim


def asks(planned: PlannedClaim) -> str:
    """What a claim measures."""
    claim = planned.claim
    at = f" at {planned.at_label}" if planned.at_label else ""
    if claim.ratio_of is None:
        subject = TASK_FIGURES[claim.figure].noun if claim.figure else claim.status
        return f"{subject} of {claim.of}{at}"
    op = f" on {claim.op}" if claim.op else ""
    metric = claim.metric or "time"
    what = f"{METRICS[metric].noun} of " if metric != "time" else ""
    return f"{what}{claim.ratio_of[0]} / {claim.ratio_of[1]}{op}{at}"


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
