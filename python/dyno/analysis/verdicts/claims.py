"""Claims against what was measured: the interval against the band, and the four verdicts."""

from __future__ import annotations

import math

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.compare import Judged
from dyno.analysis.verdicts.model import ClaimRead, Compared, Verdict
from dyno.analysis.verdicts.of_trials import claim_of_trials
from dyno.spec.changed import changed
from dyno.spec.experiment import Claim
from dyno.spec.plan import Plan, PlannedClaim
from dyno.spec.units import plural
from dyno.spec.wording import asks, expects
from dyno.stats import Between, Design, Expectation, Kind, needed_blocks, verdict


def judge_claims(
    plan: Plan,
    samples: Samples,
    judged: list[Judged],
    compared: list[Compared],
    design: Design,
    equal: Fairness,
) -> list[ClaimRead]:
    """A verdict for each claim; withheld (inconclusive) if results weren't equal."""
    found = []
    for planned in plan.claims:
        match planned.judged_by:
            case int(index):
                claim = _ratio_claim(planned, index, judged[index], compared[index], design)
            case quantity:
                claim = claim_of_trials(plan, planned, quantity, samples)
        if equal.check == "failed":
            claim = changed(
                claim, verdict="inconclusive", why="withheld: the results were not equal"
            )
        found.append(claim)
    return found


def verdict_of(planned: PlannedClaim, judged: Judged, design: Design) -> Verdict:
    """The verdict on a claim about a ratio, from its comparison."""
    if judged.look is None:
        return "inconclusive"
    found = verdict(expectation_of(planned.claim), judged.look.estimate, delta=design.delta)
    return found.value


def expectation_of(claim: Claim) -> Expectation | Between:
    """What the claim's author wrote, as a region of ratios."""
    if claim.expect is not None:
        return Expectation(kind=Kind.APPROXIMATELY, ratio=claim.expect, band=claim.within)
    if claim.between is not None:
        return Between(low=claim.between[0], high=claim.between[1])
    if claim.at_most is not None:
        return Expectation(kind=Kind.AT_MOST, ratio=claim.at_most)
    assert claim.at_least is not None
    return Expectation(kind=Kind.AT_LEAST, ratio=claim.at_least)


def _ratio_claim(
    planned: PlannedClaim, index: int, judged: Judged, compared: Compared, design: Design
) -> ClaimRead:
    expectation = expectation_of(planned.claim)
    region = expectation.region(delta=design.delta)
    found = verdict_of(planned, judged, design)
    more: int | None = None
    if found == "inconclusive" and judged.look is not None:
        more = needed_blocks(expectation, judged.look.estimate, delta=design.delta, n=judged.look.n)
    return ClaimRead(
        says=planned.claim.says,
        published=planned.claim.published,
        asks=asks(planned),
        expected=expects(planned),
        low=_ratio(region.low),
        high=_ratio(region.high),
        verdict=found,
        why=_why(found, compared),
        n=compared.n,
        compared=index,
        needed_blocks=more,
    )


def _ratio(log_ratio: float) -> float | None:
    return math.exp(log_ratio) if math.isfinite(log_ratio) else None


def _why(found: Verdict, compared: Compared) -> str:
    if compared.ratio is None:
        return f"{plural(compared.n, 'block')}: too few for an interval"
    value, blocks = compared.ratio.value, plural(compared.n, "block")
    if compared.ratio.interval is None:
        return f"measured {value:.3g}, without an interval: {blocks}"
    low, high = compared.ratio.interval
    seen = f"measured {value:.3g} ({low:.3g} to {high:.3g}, {blocks})"
    match found:
        case "reproduced":
            return f"{seen}: all of it within the band"
        case "direction only":
            return f"{seen}: the claimed side, but outside the band"
        case "not reproduced":
            return f"{seen}: outside the band"
        case "inconclusive":
            return f"{seen}: reaches over the band's edge"
