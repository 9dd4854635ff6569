"""Where each arm's server spent its CPU time, from the profiles of its good trials together."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.costs.model import ProfileLine, ProfileRead
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan

LINES_MOST = 40


def profiles(plan: Plan, samples: Samples) -> Iterator[ProfileRead]:
    """Each arm with a profile, or with a reason for not having one; means of the trials' shares."""
    for arm in plan.arms:
        trials = [trial for trial in samples.ok if trial.arm == arm.name]
        profiled = [trial.profile for trial in trials if trial.profile]
        if not profiled:
            reasons = [t.profile_unavailable for t in trials if t.profile_unavailable]
            if reasons:
                yield ProfileRead(arm=arm.name, unavailable=reasons[0])
            continue
        shares: dict[tuple[str, str], float] = {}
        for lines in profiled:
            for line in lines:
                key = (line.symbol, line.object)
                shares[key] = shares.get(key, 0.0) + line.share_pct / len(profiled)
        top = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:LINES_MOST]
        yield ProfileRead(
            arm=arm.name,
            lines=[
                ProfileLine(share_pct=round(share, 3), symbol=symbol, object=place)
                for (symbol, place), share in top
            ],
        )
