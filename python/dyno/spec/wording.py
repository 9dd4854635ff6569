"""A claim in words: what it measures and expects. One wording for check, findings and reports."""

from __future__ import annotations

from dyno.spec.metrics import METRICS
from dyno.spec.plan import PlannedClaim
from dyno.spec.subject import OfTrials, Ratio


def asks(planned: PlannedClaim) -> str:
    """What a claim measures."""
    claim = planned.claim
    at = f" at {planned.at_label}" if planned.at_label else ""
    match claim.subject:
        case OfTrials(figure=figure, of=of):
            return f"{figure.noun} of {of}{at}"
        case Ratio(numerator=numerator, denominator=denominator):
            pass
    op = f" on {claim.op}" if claim.op else ""
    metric = claim.metric or "time"
    what = f"{METRICS[metric].noun} of " if metric != "time" else ""
    return f"{what}{numerator} / {denominator}{op}{at}"


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
