"""How much longer an op takes for each nanosecond before an answer: measured with a large effect.

A smaller one follows in proportion, since the time is added to each op alike.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from benches.trust.plant import Burn, plant
from benches.trust.session import Session, as_times, chosen, findings_of, what_of

# Enough for a large effect on each case, and not so much that the load changes its nature.
PROBE_NS = {"statements": 10_000_000}
PROBE_USUAL_NS = 20_000
BLOCKS = 18


def slopes(session: Session, folder: Path) -> dict[str, float]:
    """By comparison of the session's case and placement: the share of an op's time that 1 ns adds.
    Measured once, and kept in `folder`; empty where the host is too noisy to see any.
    """
    file = folder / f"slopes-{session.case}-{session.placement}-{session.burn}.json"
    if file.exists():
        kept: dict[str, float] = json.loads(file.read_text())
        return kept
    probe_ns = PROBE_NS.get(session.case, PROBE_USUAL_NS)
    plant(Burn(probe_ns, asleep=session.burn == "sleep"))
    probe = replace(session, number=0, neighbour="quiet")
    findings = findings_of(probe, planted=True, last=BLOCKS)
    found = {}
    for compared in chosen(findings):
        ratio, _, _ = as_times(compared)
        if ratio is not None and compared["state"] == "different":
            found[what_of(compared)] = (ratio - 1) / probe_ns
    if found:
        file.write_text(json.dumps(found))
    return found


def burn_for(session: Session, found: dict[str, float]) -> Burn:
    """What the slow server must do for the session's effect on its first comparison."""
    if session.burn == "cpu":
        return Burn(cpu=min(os.sched_getaffinity(0)))
    if not session.effect:
        return Burn()
    ns = round(session.effect / next(iter(found.values())))
    return Burn(ns, asleep=session.burn == "sleep")
