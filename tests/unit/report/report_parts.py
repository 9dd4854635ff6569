"""What the hand-made findings are put together from: times, comparisons, arms, claims.

All figures come from a hash, not from a random module, so that they are the same with every version
of every library.
"""

from __future__ import annotations

import hashlib
import math
from statistics import median

from dyno.analysis.model import ArmRead, Times
from dyno.analysis.part import BlockValue
from dyno.analysis.verdicts.model import ClaimRead, Compared, State
from dyno.stats import Estimate


def noise(*place: int) -> float:
    """A number in [-1, 1) that depends on `place` alone."""
    digest = hashlib.sha256(repr(place).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**31 - 1


def times_of(arm: str, op: str, typical_s: float, blocks: int, spread: float, key: int) -> Times:
    values = [typical_s * (1 + spread * noise(key, block)) for block in range(blocks)]
    values = [round(value, 6) for value in values]
    return Times(
        arm=arm,
        op=op,
        n=blocks,
        median_s=median(values),
        min_s=min(values),
        max_s=max(values),
        rows=9,
        blocks=[BlockValue(block=block, value=value) for block, value in enumerate(values)],
    )


def compared_of(
    over: Times,
    under: Times,
    *,
    state: State | None = None,
    tail: bool = False,
    primary: bool = True,
) -> Compared:
    values = [a.value / b.value for a, b in zip(over.blocks, under.blocks, strict=True)]
    ratio = median(values)
    with_interval = len(values) >= 8
    half = (max(values) - min(values)) / math.sqrt(len(values)) / ratio
    low, high = ratio * (1 - half), ratio * (1 + half)
    if state is None:
        state = "undecided" if low <= 1 <= high or not with_interval else "different"
    change = abs(1 - ratio) * 100
    more = "less" if ratio < 1 else "more"
    sentence = (
        f"{over.arm} needs {change:.2g} % {more} time than {under.arm} on {over.op}, "
        f"{len(values)} blocks"
    )
    return Compared(
        numerator_arm=over.arm,
        numerator_op=over.op,
        denominator_arm=under.arm,
        denominator_op=under.op,
        primary=primary,
        n=len(values),
        ratio=Estimate(ratio, (low, high) if with_interval else None),
        mean=Estimate(
            ratio * (1.08 if tail else 1.001),
            (low, high * (1.15 if tail else 1)) if with_interval else None,
        ),
        tail_driven=tail,
        p=0.00049 if state == "different" else 0.34,
        holm_p=0.0088 if state == "different" else 0.9,
        mde=half * 1.3 if with_interval else None,
        state=state,
        sentence=sentence,
        blocks=[BlockValue(block=i, value=round(v, 6)) for i, v in enumerate(values)],
    )


def arm(name: str, server: str, product: str, version: str, **more: object) -> ArmRead:
    fields = {"baseline": False, "engine": None, "tmpdir": "disk", "settings": {}, "session": {}}
    fields |= {"trials_ok": 12, "failures": []} | more
    return ArmRead.model_validate(
        {"name": name, "server": server, "product": product, "version": version} | fields
    )


def claim_read(
    says: str, asks: str, compared: int | None, verdict: str, **more: object
) -> ClaimRead:
    fields = {"published": None, "expected": "", "low": None, "high": None, "why": "", "n": 12}
    fields |= {"needed_blocks": None} | more
    return ClaimRead.model_validate(
        {"says": says, "asks": asks, "compared": compared, "verdict": verdict} | fields
    )
