"""A claim in words: what it asks and expects. One wording for check, findings and reports."""

from __future__ import annotations

from dyno.spec.plan import PlannedClaim


def asks(planned: PlannedClaim) -> str:
    """What a claim measures."""
    claim = planned.claim
    if claim.ratio_of is None:
        return f"{claim.status} of {claim.of}"
    op = f" on {claim.op}" if claim.op else ""
    return f"{claim.ratio_of[0]} / {claim.ratio_of[1]}{op}"


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
