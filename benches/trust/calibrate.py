"""How much longer an op takes for each nanosecond before an answer: measured with a large effect.

A smaller one follows in proportion, since the time is added to each op alike. How large a share of
an op that is depends on the hour: what an op takes is measured just before an effect is planted,
and each session holds the effect against its own baseline.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benches.trust.cases import CASES
from benches.trust.plant import Burn, plant, taken_ns
from benches.trust.session import (
    Session,
    as_times,
    asked,
    baseline_ns,
    chosen,
    findings_of,
    what_of,
)

# Enough for a large effect on each case, and not so much that the load changes its nature.
PROBE_NS = {"statements": 10_000_000}
PROBE_USUAL_NS = 20_000
BLOCKS = 18
# Without an effect, for what an op takes now.
NOW_BLOCKS = 2


@dataclass(frozen=True)
class Slope:
    """By how many ns an op takes longer for each ns that an answer does; for the record, how long
    it took then without. Under a load that keeps the CPUs busy an op is the time between the ends
    of two.
    """

    ns_per_ns: float
    baseline_ns: float


def slopes(session: Session, folder: Path) -> dict[str, Slope]:
    """By comparison of the session's case and placement. Measured once, and kept in `folder`; empty
    where the host is too noisy to see any.
    """
    case = CASES[session.case].like or session.case
    file = folder / f"slopes-{case}-{session.placement}-{session.burn}.json"
    if file.exists():
        return {what: Slope(**kept) for what, kept in json.loads(file.read_text()).items()}
    burn = Burn(PROBE_NS.get(case, PROBE_USUAL_NS), asleep=session.burn == "sleep")
    plant(burn)
    probe = replace(session, case=case, number=0, neighbour="quiet")
    findings = findings_of(probe, planted=True, last=BLOCKS)
    found = {}
    for compared in chosen(findings):
        ratio, _, _ = as_times(compared)
        if ratio is not None and compared["state"] == "different":
            op_ns = baseline_ns(findings, compared)
            found[what_of(compared)] = Slope((ratio - 1) * op_ns / taken_ns(burn), op_ns)
    if found:
        file.write_text(json.dumps({what: asdict(slope) for what, slope in found.items()}))
    return found


def now_ns(session: Session) -> dict[str, float]:
    """How long an op of the baseline takes at this hour, by comparison of the session."""
    plant(Burn())
    findings = findings_of(session, planted=False, last=NOW_BLOCKS)
    return {what_of(c): baseline_ns(findings, c) for c in asked(findings)}


def burn_for(session: Session, found: Mapping[str, Slope], now: Mapping[str, float]) -> Burn:
    """What the slow server must do for the session's effect on its first comparison, where ops
    take as long as `now`.
    """
    if session.burn == "cpu":
        return Burn(cpu=min(os.sched_getaffinity(0)))
    if not session.effect:
        return Burn()
    first, slope = next(iter(found.items()))
    ns = round(session.effect * now[first] / slope.ns_per_ns)
    return Burn(ns, asleep=session.burn == "sleep")
